"""A GAN in manual optimization: two optimizers in turns, each with its own schedule."""

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class GAN(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
        self.discriminator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
        self.criterion = nn.BCEWithLogitsLoss()

    def training_step(self, batch, batch_idx):
        (real,) = batch
        ours, theirs = self.optimizers()
        noise = torch.randn(len(real), 8, device=self.device)
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)

        self.toggle_optimizer(ours)
        loss_g = self.criterion(self.discriminator(self.generator(noise)), ones)
        ours.zero_grad()
        self.manual_backward(loss_g)
        ours.step()
        self.untoggle_optimizer(ours)

        self.toggle_optimizer(theirs)
        fake = self.generator(noise).detach()
        loss_d = (self.criterion(self.discriminator(real), ones) + self.criterion(self.discriminator(fake), zeros)) / 2
        theirs.zero_grad()
        self.manual_backward(loss_d)
        theirs.step()
        self.untoggle_optimizer(theirs)
        self.log_dict({"loss_g": loss_g, "loss_d": loss_d})

    def on_train_epoch_end(self):
        for schedule in self.lr_schedulers():
            schedule.step()

    def configure_optimizers(self):
        ours = torch.optim.Adam(self.generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
        theirs = torch.optim.Adam(self.discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
        return [ours, theirs], [torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5) for optimizer in (ours, theirs)]


pl.seed_everything(2, verbose=False)
data = TensorDataset(torch.randn(320, 2) * 0.5 + torch.tensor([1.0, -1.0]))
trainer = pl.Trainer(
    max_epochs=4, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False
)
trainer.fit(GAN(), DataLoader(data, batch_size=32, shuffle=True, drop_last=True))
print({name: round(float(value), 6) for name, value in trainer.callback_metrics.items()})
