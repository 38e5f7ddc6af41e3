"""Lightning accumulates over five batches by itself."""
import logging
import warnings

import torch
from lightning import pytorch as pl
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Tides(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 1))

    def training_step(self, batch, batch_idx):
        x, height = batch
        error = nn.functional.mse_loss(self.net(x), height)
        penalty = 1e-4 * self.net[0].weight.abs().sum()
        return error + penalty

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.set_num_threads(1)
pl.seed_everything(0, verbose=False)
x = torch.randn(160, 3)
loader = DataLoader(TensorDataset(x, x.sin().sum(1, keepdim=True)), batch_size=8, shuffle=True)
silent = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
pl.Trainer(accelerator="cpu", max_epochs=2, accumulate_grad_batches=5, **silent).fit(Tides(), loader)
print("done")
