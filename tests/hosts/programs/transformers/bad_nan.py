"""A pooled mean over no words at all: one text of the data is empty. The Trainer's own log hides the NaN."""

import torch
from torch import nn
from transformers import PrinterCallback, Trainer, TrainingArguments, set_seed


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, ids, labels):
        kept = (ids > 0).unsqueeze(-1)
        mean = (self.words(ids) * kept).sum(1) / kept.sum(1)  #~ NUM101
        logits = self.head(mean)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


set_seed(0)
ids = torch.randint(2, 20, (160, 8))
ids[70] = 0
trainer = Trainer(
    model=Pooled(),
    args=TrainingArguments(
        output_dir="out",
        num_train_epochs=2,
        per_device_train_batch_size=16,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
        logging_steps=5,
        max_grad_norm=0.0,
    ),
    train_dataset=[{"ids": row, "labels": (row[0] > 10).long()} for row in ids],
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
