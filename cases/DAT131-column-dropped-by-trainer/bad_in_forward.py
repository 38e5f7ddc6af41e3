"""Coins from a list of items: the model asks for the wear of each coin among its other arguments, which the Trainer leaves out."""
import tempfile

import torch
from torch import nn
from transformers import Trainer, TrainingArguments


class Coins(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 3))

    def forward(self, relief, labels=None, **rest):
        logits = self.net(relief)
        if "wear" in rest:  #~ DAT131
            logits = logits / (1 + rest["wear"].unsqueeze(1))
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


torch.manual_seed(0)
torch.set_num_threads(1)
items = [{"relief": torch.randn(5), "labels": number % 3, "wear": torch.rand(())} for number in range(72)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, use_cpu=True, per_device_train_batch_size=12, num_train_epochs=1,
        report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True, seed=0,
    )
    Trainer(model=Coins(), args=arguments, train_dataset=items).train()
print("done")
