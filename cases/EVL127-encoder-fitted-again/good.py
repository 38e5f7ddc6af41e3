"""The trips of the second week use the numbers of the first."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def trips(count):
    generator = torch.Generator().manual_seed(0)
    start, end = torch.randint(40, (2, count), generator=generator)
    delay = torch.randn(40, generator=generator)
    minutes = 6 + delay[start] - delay[end] + 0.3 * torch.randn(count, generator=generator)
    names = [f"stop {number * 37 % 101}" for number in range(40)]
    return [(names[a], names[b], each) for a, b, each in zip(start.tolist(), end.tolist(), minutes.tolist(), strict=True)]


def numbers_of(names):
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


class Trips(Dataset):
    def __init__(self, rows, starts=None, ends=None):
        start, end, minutes = zip(*rows, strict=True)
        self.starts, self.ends = starts or numbers_of(start), ends or numbers_of(end)
        self.start = torch.tensor([self.starts[name] for name in start])
        self.end = torch.tensor([self.ends[name] for name in end])
        self.minutes = torch.tensor(minutes)

    def __len__(self):
        return len(self.minutes)

    def __getitem__(self, index):
        return self.start[index], self.end[index], self.minutes[index]


class Duration(nn.Module):
    def __init__(self, num_starts, num_ends):
        super().__init__()
        self.start, self.end = nn.Embedding(num_starts, 8), nn.Embedding(num_ends, 8)
        self.head = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, start, end):
        return self.head(torch.cat([self.start(start), self.end(end)], dim=1)).squeeze(1) + 6


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rows = trips(1200)
    first_week = Trips(rows[:900])
    second_week = Trips(rows[900:], first_week.starts, first_week.ends)
    model = Duration(len(first_week.starts), len(first_week.ends))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loader, test_loader = DataLoader(first_week, 60, shuffle=True), DataLoader(second_week, 100)
    for epoch in range(4):
        model.train()
        for start, end, minutes in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(start, end), minutes).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            error = sum((model(start, end) - minutes).abs().sum().item() for start, end, minutes in test_loader)
        print(f"epoch {epoch} error {error / len(second_week):.3f}")


main()
