"""A small CNN, gradients accumulated over four batches and clipped, evaluated after each epoch."""

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(128, 3))
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.head(self.features(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.criterion(self(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", self.criterion(logits, y))
        self.log("val_accuracy", (logits.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-3)


def images(count):
    y = torch.arange(count) % 3
    x = torch.randn(count, 1, 12, 12) * 0.3
    for row, label in enumerate(y.tolist()):
        x[row, :, :, label * 4 : label * 4 + 4] += 1.0
    return TensorDataset(x, y)


pl.seed_everything(0, verbose=False)
model = Classifier()
trainer = pl.Trainer(
    max_epochs=3,
    accumulate_grad_batches=4,
    gradient_clip_val=1.0,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, DataLoader(images(240), batch_size=12, shuffle=True), DataLoader(images(60), batch_size=30))
print({name: round(float(value), 6) for name, value in trainer.callback_metrics.items()})
