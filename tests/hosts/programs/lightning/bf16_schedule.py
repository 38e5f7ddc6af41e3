"""Regression in mixed precision (bf16) with a rate that is scheduled for each step and logged."""

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(pl.LightningModule):
    def __init__(self, width=32, rate=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(6, width), nn.GELU(), nn.LayerNorm(width), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x).squeeze(-1), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.rate, momentum=0.9)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=self.hparams.rate, total_steps=self.trainer.estimated_stepping_batches
        )
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


pl.seed_everything(1, verbose=False)
x = torch.randn(256, 6)
data = TensorDataset(x, x[:, 0] * 2 - x[:, 1].abs())
trainer = pl.Trainer(
    max_epochs=4,
    precision="bf16-mixed",
    accelerator="cpu",
    logger=CSVLogger("logs", version="one"),
    log_every_n_steps=4,
    callbacks=[LearningRateMonitor("step")],
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
model = Regressor()
trainer.fit(model, DataLoader(data, batch_size=16, shuffle=True))
print(round(float(trainer.callback_metrics["loss"]), 6))
