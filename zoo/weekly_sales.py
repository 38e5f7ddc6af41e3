"""Sales of the next day: an LSTM's final state, an embedding of the week, recent weeks drawn more often, `AveragedModel` with its buffers."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Sales(Dataset):
    """Four weeks, the day that each begins with, and the day after them."""

    def __init__(self, series, length=28):
        self.series, self.length = series, length

    def __len__(self):
        return len(self.series) - self.length

    def __getitem__(self, index):
        end = index + self.length
        return self.series[index:end, None], index, self.series[end]


class Forecaster(nn.Module):
    def __init__(self, hidden=24, weeks=4):
        super().__init__()
        self.week = nn.Embedding(weeks, 4)
        self.rnn = nn.LSTM(5, hidden, batch_first=True)
        self.neck = nn.Sequential(nn.Linear(hidden, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.out = nn.Linear(16, 1)

    def forward(self, window):
        day = torch.arange(window.shape[1])
        week = self.week(day // 7).expand(len(window), -1, -1)
        _, (state, _) = self.rnn(torch.cat([window, week], dim=-1))
        return window[:, -1, 0] + self.out(self.neck(state[-1])).squeeze(-1)


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.95), use_buffers=True)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)

    def epoch(self, loader):
        self.model.train()
        total = 0.0
        for window, _, target in loader:
            self.optimizer.zero_grad(set_to_none=True)
            loss = F.smooth_l1_loss(self.model(window), target)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.average.update_parameters(self.model)
            total += loss.item() * len(target)
        return total / len(loader.dataset)

    def test(self, loader):
        self.average.eval()
        with torch.no_grad():
            errors = torch.cat([self.average(window) - target for window, _, target in loader])
        return errors.abs().mean().item()


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    day = torch.arange(900).float()
    series = 0.6 * torch.sin(2 * torch.pi * day / 7) + 0.3 * torch.sin(2 * torch.pi * day / 30) + 0.1 * torch.randn(900)
    past, future = Sales(series[:750]), Sales(series[750:])
    recency = torch.linspace(0.5, 1.5, len(past))
    sampler = WeightedRandomSampler(recency, num_samples=len(past), replacement=True)
    trainer = Trainer(Forecaster(), lr=5e-3)
    loader = DataLoader(past, batch_size=38, sampler=sampler)
    for number in range(6):
        loss = trainer.epoch(loader)
        print(f"epoch {number}  loss {loss:.4f}  error {trainer.test(DataLoader(future, batch_size=64)):.4f}")


if __name__ == "__main__":
    main()
