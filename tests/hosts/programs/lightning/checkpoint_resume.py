"""Saves checkpoints, stops early, goes on from the last one, loads the best one and tests it."""

import logging
import shutil
import warnings

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Data(pl.LightningDataModule):
    def setup(self, stage):
        generator = torch.Generator().manual_seed(3)
        x = torch.randn(300, 10, generator=generator)
        y = (x[:, :3].sum(1) > 0).long()
        self.train, self.val, self.held = random_split(TensorDataset(x, y), [200, 50, 50], generator=generator)

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=20, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=50)

    def test_dataloader(self):
        return DataLoader(self.held, batch_size=50)


class Classifier(pl.LightningModule):
    def __init__(self, width=24):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, 2))

    def _loss(self, batch, name):
        x, y = batch
        logits = self.net(x)
        loss = nn.functional.cross_entropy(logits, y)
        self.log(f"{name}_loss", loss)
        self.log(f"{name}_accuracy", (logits.argmax(-1) == y).float().mean())
        return loss

    def training_step(self, batch, batch_idx):
        return self._loss(batch, "train")

    def validation_step(self, batch, batch_idx):
        self._loss(batch, "val")

    def test_step(self, batch, batch_idx):
        self._loss(batch, "test")

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "monitor": "val_loss"}}


def trainer(epochs):
    best = ModelCheckpoint("checkpoints", monitor="val_loss", save_last=True)
    return pl.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        logger=False,
        callbacks=[best, EarlyStopping("val_loss", patience=3)],
        enable_progress_bar=False,
        enable_model_summary=False,
    )


# What is said of the folder names it in full, and it is another one each time.
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", message="Checkpoint directory")
pl.seed_everything(3, verbose=False)
first = trainer(3)
first.fit(Classifier(), datamodule=Data())
second = trainer(8)
second.fit(Classifier(), datamodule=Data(), ckpt_path="checkpoints/last.ckpt")
print(second.current_epoch, second.checkpoint_callback.best_model_path.rsplit("/")[-1])
best = Classifier.load_from_checkpoint(second.checkpoint_callback.best_model_path)
print(second.test(best, datamodule=Data(), verbose=False))
print({name: round(float(value.double().sum()), 6) for name, value in torch.load("checkpoints/last.ckpt")["state_dict"].items()})
shutil.rmtree("checkpoints")
