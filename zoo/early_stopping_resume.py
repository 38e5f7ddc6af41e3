"""Train, stop half way, resume from a checkpoint of model, optimizer, schedule and generators, and stop early."""

import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EarlyStopping:
    def __init__(self, patience, min_delta=0.0):
        self.patience, self.min_delta = patience, min_delta
        self.best, self.bad_epochs = float("inf"), 0

    def update(self, loss):
        """Return whether this epoch is the best so far."""
        if loss < self.best - self.min_delta:
            self.best, self.bad_epochs = loss, 0
            return True
        self.bad_epochs += 1
        return False

    @property
    def should_stop(self):
        return self.bad_epochs >= self.patience


def build():
    model = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.5)
    return model, optimizer, scheduler, EarlyStopping(patience=4, min_delta=1e-4)


def save_checkpoint(path, epoch, model, optimizer, scheduler, stopper):
    torch.save(
        {
            "epoch": epoch,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "stopper": vars(stopper),
            "rng_state": torch.get_rng_state(),
        },
        path,
    )


def load_checkpoint(path, model, optimizer, scheduler, stopper):
    checkpoint = torch.load(path, weights_only=True)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    vars(stopper).update(checkpoint["stopper"])
    torch.set_rng_state(checkpoint["rng_state"])
    return checkpoint["epoch"] + 1


def train_epochs(start, stop, folder, model, optimizer, scheduler, stopper, train_loader, valid_loader):
    criterion = nn.MSELoss()
    for epoch in range(start, stop):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        model.eval()
        with torch.no_grad():
            valid_loss = sum(criterion(model(x), y).item() * len(x) for x, y in valid_loader) / 256
        if stopper.update(valid_loss):
            torch.save(model.state_dict(), os.path.join(folder, "best.pt"))
        save_checkpoint(os.path.join(folder, "last.pt"), epoch, model, optimizer, scheduler, stopper)
        if stopper.should_stop:
            break
    print(f"epoch {epoch + 1}: valid loss {valid_loss:.5f}, best {stopper.best:.5f}")


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(1024, 8)
    y = torch.sin(2 * x[:, :1]) + x[:, 1:2] * x[:, 2:3] + 0.1 * torch.randn(1024, 1)
    train_loader = DataLoader(TensorDataset(x[:768], y[:768]), batch_size=32, shuffle=True)
    valid_loader = DataLoader(TensorDataset(x[768:], y[768:]), batch_size=128)

    with tempfile.TemporaryDirectory() as folder:
        train_epochs(0, 8, folder, *build(), train_loader, valid_loader)  # interrupted here

        model, optimizer, scheduler, stopper = build()
        start = load_checkpoint(os.path.join(folder, "last.pt"), model, optimizer, scheduler, stopper)
        print(f"resumed at epoch {start + 1}")
        train_epochs(start, 32, folder, model, optimizer, scheduler, stopper, train_loader, valid_loader)

        model.load_state_dict(torch.load(os.path.join(folder, "best.pt"), weights_only=True))
        model.eval()
        with torch.no_grad():
            final = nn.functional.mse_loss(model(x[768:]), y[768:]).item()
    print(f"best model: valid loss {final:.5f}")


if __name__ == "__main__":
    main()
