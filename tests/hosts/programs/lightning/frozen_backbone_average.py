"""A pretrained backbone stands still, in eval mode; the head is trained, unfrozen parts join later, weights are averaged."""

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import BaseFinetuning, Callback, StochasticWeightAveraging
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tuned(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.head = nn.Linear(16, 4)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.head(self.backbone(x)), y, label_smoothing=0.1)
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD([parameter for parameter in self.parameters() if parameter.requires_grad], lr=0.05, momentum=0.9)


class UnfreezeLater(BaseFinetuning):
    def freeze_before_training(self, pl_module):
        self.freeze(pl_module.backbone)

    def finetune_function(self, pl_module, epoch, optimizer):
        if epoch == 2:
            self.unfreeze_and_add_param_group(pl_module.backbone, optimizer, lr=0.005)


class Average(Callback):
    def __init__(self, decay=0.9):
        self.decay, self.shadow = decay, {}

    @torch.no_grad()
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        for name, value in pl_module.head.state_dict().items():
            self.shadow[name] = self.decay * self.shadow.get(name, value.clone()) + (1 - self.decay) * value


pl.seed_everything(4, verbose=False)
x = torch.randn(400, 12)
data = TensorDataset(x, (x[:, 0] > 0).long() * 2 + (x[:, 1] > 0).long())
average = Average()
settings = {"accelerator": "cpu", "logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
model = Tuned()
trainer = pl.Trainer(max_epochs=4, callbacks=[UnfreezeLater(), average], **settings)
trainer.fit(model, DataLoader(data, batch_size=40, shuffle=True))
print(round(float(trainer.callback_metrics["loss"]), 6), {name: round(float(value.sum()), 6) for name, value in average.shadow.items()})
again = pl.Trainer(max_epochs=3, callbacks=[StochasticWeightAveraging(swa_lrs=1e-2, swa_epoch_start=1)], **settings)
again.fit(model, DataLoader(data, batch_size=40, shuffle=True))
print(round(float(again.callback_metrics["loss"]), 6))
