"""The root of a distance that is zero where a sample lies at the origin."""

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 3, bias=False)

    def training_step(self, batch, batch_idx):
        x, y = batch
        distance = torch.sqrt(self.net(x).pow(2).sum(1))  #~ NUM101
        loss = (distance - y).pow(2).mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-2)


pl.seed_everything(0, verbose=False)
x = torch.randn(128, 4)
x[75] = 0.0
data = TensorDataset(x, x.norm(dim=1))
trainer = pl.Trainer(
    max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False
)
trainer.fit(Regressor(), DataLoader(data, batch_size=16))
