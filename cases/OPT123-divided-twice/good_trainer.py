"""The Trainer of Transformers averages over two batches, with an overridden loss."""
import tempfile

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Shells(Dataset):
    def __init__(self):
        generator = torch.Generator().manual_seed(0)
        self.x = torch.randn(128, 4, generator=generator)
        self.age = self.x[:, :1].abs() + self.x[:, 1:2]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return {"features": self.x[index], "labels": self.age[index]}


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, features, labels=None):
        return {"logits": self.net(features)}


class HuberTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = nn.functional.huber_loss(outputs["logits"], inputs["labels"])
        return (loss, outputs) if return_outputs else loss


torch.set_num_threads(1)
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, use_cpu=True, per_device_train_batch_size=8, gradient_accumulation_steps=2, num_train_epochs=2,
        report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True, seed=0,
    )
    HuberTrainer(model=Regressor(), args=arguments, train_dataset=Shells()).train()
print("done")
