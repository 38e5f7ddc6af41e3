"""Train with a module that holds its own training step and optimizers, driven by a small hand-written trainer."""

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class TrainerModule(nn.Module):
    """What the trainer expects of a model."""

    def training_step(self, batch, batch_idx):
        raise NotImplementedError

    def validation_step(self, batch, batch_idx):
        raise NotImplementedError

    def configure_optimizers(self):
        raise NotImplementedError

    def log(self, name, value):
        self.logged.setdefault(name, []).append(float(value))


class LitClassifier(TrainerModule):
    def __init__(self, in_features, hidden, classes, lr=1e-2):
        super().__init__()
        self.lr = lr
        self.logged = {}
        self.backbone = nn.Sequential(nn.Linear(in_features, hidden), nn.BatchNorm1d(hidden), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(hidden, classes))

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss.detach())
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", (logits.argmax(dim=1) == y).float().mean())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.lr)
        scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=8, power=1.0)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}


class Trainer:
    def __init__(self, max_epochs, gradient_clip_val=None):
        self.max_epochs = max_epochs
        self.gradient_clip_val = gradient_clip_val

    def fit(self, module, train_dataloader, val_dataloader):
        configured = module.configure_optimizers()
        optimizer, scheduler = configured["optimizer"], configured["lr_scheduler"]
        for epoch in range(self.max_epochs):
            module.logged.clear()
            module.train()
            for batch_idx, batch in enumerate(train_dataloader):
                loss = module.training_step(batch, batch_idx)
                optimizer.zero_grad()
                loss.backward()
                if self.gradient_clip_val is not None:
                    nn.utils.clip_grad_norm_(module.parameters(), self.gradient_clip_val)
                optimizer.step()
            scheduler.step()
            self.validate(module, val_dataloader)
            metrics = {name: sum(values) / len(values) for name, values in sorted(module.logged.items())}
            print(f"epoch {epoch}", " ".join(f"{name}={value:.4f}" for name, value in metrics.items()))

    @torch.no_grad()
    def validate(self, module, val_dataloader):
        module.eval()
        for batch_idx, batch in enumerate(val_dataloader):
            module.validation_step(batch, batch_idx)
        module.train()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(2560, 20)
    y = (torch.cat([x, x.abs()], dim=1) @ torch.randn(40, 4)).argmax(dim=1)
    train_dataloader = DataLoader(TensorDataset(x[:2048], y[:2048]), batch_size=64, shuffle=True)
    val_dataloader = DataLoader(TensorDataset(x[2048:], y[2048:]), batch_size=128)
    model = LitClassifier(in_features=20, hidden=96, classes=4)
    Trainer(max_epochs=8, gradient_clip_val=1.0).fit(model, train_dataloader, val_dataloader)
