"""A Trainer whose loss weighs the classes, over a plain module of its own, with layers that learn at rates of their own."""

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import PrinterCallback, Trainer, TrainingArguments, set_seed


class Points(Dataset):
    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.x = torch.randn(count, 6, generator=generator)
        self.y = (self.x[:, 0] + self.x[:, 1] > 1.0).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return {"x": self.x[index], "labels": self.y[index]}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(32, 2)

    def forward(self, x, labels=None):
        logits = self.head(self.body(x))
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits} if labels is not None else {"logits": logits}


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs["logits"], labels, weight=torch.tensor([0.4, 1.6]))
        return (loss, outputs) if return_outputs else loss

    def create_optimizer(self, model=None):
        if self.optimizer is None:
            groups = [{"params": self.model.body.parameters(), "lr": 1e-3}, {"params": self.model.head.parameters(), "lr": 1e-2}]
            self.optimizer = torch.optim.Adam(groups)
        return self.optimizer


set_seed(5)
trainer = Weighted(
    model=Net(),
    args=TrainingArguments(
        output_dir="out",
        num_train_epochs=4,
        per_device_train_batch_size=20,
        gradient_accumulation_steps=2,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=5,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
        dataloader_drop_last=True,
    ),
    train_dataset=Points(200, 0),
    eval_dataset=Points(60, 1),
    compute_metrics=lambda prediction: {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())},
)
trainer.remove_callback(PrinterCallback)  # it prints how long things took
trainer.train()
print([(round(entry["eval_loss"], 6), entry["eval_accuracy"]) for entry in trainer.state.log_history if "eval_loss" in entry])
