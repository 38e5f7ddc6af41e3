"""Only the backbone's parameters are given to the optimizer: the head is never trained."""

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.head = nn.Linear(16, 3)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.head(self.backbone(x)), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.backbone.parameters(), lr=1e-2)  #~ OPT101


pl.seed_everything(0, verbose=False)
x = torch.randn(128, 8)
data = TensorDataset(x, x[:, :3].argmax(1))
trainer = pl.Trainer(
    max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False
)
trainer.fit(Classifier(), DataLoader(data, batch_size=16, shuffle=True))
