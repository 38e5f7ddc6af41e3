"""Train a recurrent forecaster with a linear warm-up followed by a cosine decay, joined by SequentialLR."""

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader, TensorDataset

WINDOW = 16
EPOCHS = 8


class Forecaster(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(input_size=1, hidden_size=hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, windows):
        states, _ = self.gru(windows)
        return self.out(states[:, -1])


def make_series(length):
    t = torch.arange(length, dtype=torch.float32)
    series = torch.sin(t / 4) + 0.5 * torch.sin(t / 1.7 + 1) + 0.1 * torch.randn(length)
    return series


def make_windows(series):
    """Every window of the series and the value that follows it."""
    windows = series.unfold(0, WINDOW + 1, 1)
    return windows[:, :WINDOW].unsqueeze(-1), windows[:, WINDOW:]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    series = make_series(1000)
    past, future = series[:800], series[800:]
    mean, std = past.mean(), past.std()
    train_x, train_y = make_windows((past - mean) / std)
    test_x, test_y = make_windows((future - mean) / std)
    loader = DataLoader(TensorDataset(train_x, train_y), batch_size=32, shuffle=True)

    model = Forecaster()
    criterion = nn.HuberLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    total_steps = EPOCHS * len(loader)
    warmup_steps = total_steps // 10
    scheduler = SequentialLR(
        optimizer,
        schedulers=[
            LinearLR(optimizer, start_factor=0.01, total_iters=warmup_steps),
            CosineAnnealingLR(optimizer, T_max=total_steps - warmup_steps),
        ],
        milestones=[warmup_steps],
    )

    for epoch in range(EPOCHS):
        model.train()
        losses = []
        for windows, following in loader:
            optimizer.zero_grad()
            loss = criterion(model(windows), following)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            losses.append(loss.item())
        if epoch % 3 == 0:
            print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f} lr {scheduler.get_last_lr()[0]:.5f}")

    model.eval()
    with torch.no_grad():
        test_loss = criterion(model(test_x), test_y).item()
        naive_loss = criterion(test_x[:, -1], test_y).item()
    print(f"test loss {test_loss:.4f}, of repeating the last value {naive_loss:.4f}")


if __name__ == "__main__":
    main()
