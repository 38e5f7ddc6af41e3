"""How long a bus takes from stop to stop; the trips of the second week number their stops for themselves."""

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


def numbered(names):
    numbers = {}
    return torch.tensor([numbers.setdefault(name, len(numbers)) for name in names]), len(numbers)


class Trips(Dataset):
    def __init__(self, rows):
        start, end, minutes = zip(*rows, strict=True)
        self.start, self.num_starts = numbered(start)
        self.end, self.num_ends = numbered(end)
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
    second_week = Trips(rows[900:])  #~ EVL127
    model = Duration(first_week.num_starts, first_week.num_ends)
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
