"""A callback samples from the model at each epoch's end and leaves it in eval mode."""

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


class Sample(pl.Callback):
    @torch.no_grad()
    def on_train_epoch_end(self, trainer, pl_module):
        pl_module.eval()  #~ MOD101
        pl_module.net(torch.zeros(1, 4))


pl.seed_everything(0, verbose=False)
x = torch.randn(128, 4)
data = TensorDataset(x, x.sum(1, keepdim=True))
trainer = pl.Trainer(
    max_epochs=3,
    callbacks=[Sample()],
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Regressor(), DataLoader(data, batch_size=16, shuffle=True))
