"""A denoising autoencoder with a trainer class: a short warm-up, then a plateau schedule on the validation loss, and a checkpoint to resume from."""

import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Denoiser(nn.Module):
    def __init__(self, size=24, code=6):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(size, 32), nn.SiLU(), nn.Linear(32, code))
        self.decode = nn.Sequential(nn.Linear(code, 32), nn.SiLU(), nn.Linear(32, size))

    def forward(self, x):
        return self.decode(self.encode(x))


class Trainer:
    WARMUP = 30

    def __init__(self, model, train_loader, valid_loader, lr=3e-3, noise=0.1):
        self.model, self.noise = model, noise
        self.train_loader, self.valid_loader = train_loader, valid_loader
        self.criterion = nn.SmoothL1Loss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.95))
        self.warmup = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: min(1.0, (step + 1) / self.WARMUP))
        self.plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, factor=0.5, patience=1, threshold=1e-3)
        self.epoch = 0
        self.global_step = 0

    def fit(self, epochs):
        while self.epoch < epochs:
            self.model.train()
            for (x,) in self.train_loader:
                self.training_step(x)
            val_loss = self.validate()
            if self.global_step > self.WARMUP:
                self.plateau.step(val_loss)
            self.epoch += 1
            print(f"epoch {self.epoch}: validation loss {val_loss:.5f}, rate {self.optimizer.param_groups[0]['lr']:.5f}")

    def training_step(self, x):
        noisy = x + self.noise * torch.randn_like(x)
        self.optimizer.zero_grad()
        self.criterion(self.model(noisy), x).backward()
        self.optimizer.step()
        if self.global_step < self.WARMUP:
            self.warmup.step()
        self.global_step += 1

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        return sum(self.criterion(self.model(x), x).item() for (x,) in self.valid_loader) / len(self.valid_loader)

    def save(self, path):
        state = {name: getattr(self, name).state_dict() for name in ("model", "optimizer", "warmup", "plateau")}
        torch.save(state | {"epoch": self.epoch, "global_step": self.global_step}, path)

    def resume(self, path):
        state = torch.load(path, weights_only=False)
        for name in ("model", "optimizer", "warmup", "plateau"):
            getattr(self, name).load_state_dict(state[name])
        self.epoch, self.global_step = state["epoch"], state["global_step"]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    waves = torch.sin(torch.linspace(0, 6, 24) * (1 + torch.rand(640, 1)) + 3 * torch.rand(640, 1))
    train_loader = DataLoader(TensorDataset(waves[:512]), batch_size=32, shuffle=True)
    valid_loader = DataLoader(TensorDataset(waves[512:]), batch_size=64)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        first = Trainer(Denoiser(), train_loader, valid_loader)
        first.fit(epochs=5)
        first.save(path)
        second = Trainer(Denoiser(), train_loader, valid_loader)
        second.resume(path)
        second.fit(epochs=10)


if __name__ == "__main__":
    main()
