"""Predict the weather of tomorrow from the logs of several stations, joined in one dataset; a hook keeps features for clustering."""

import io
import math

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)

DAYS, WINDOW, KINDS = 260, 10, 3


class Station(Dataset):
    """The log of one station: temperature, pressure and humidity, each scaled by the station's own statistics."""

    def __init__(self, warmth, swing):
        day = torch.arange(DAYS).float()
        front = torch.randn(DAYS).cumsum(0) * 0.3
        front = front - front.mean()
        log = torch.stack(
            [
                warmth + swing * torch.sin(2 * math.pi * day / 365) + front,
                1013 - 4 * front + torch.randn(DAYS),
                60 + 8 * torch.tanh(front) + 3 * torch.randn(DAYS),
            ],
            dim=1,
        )
        self.log = (log - log.mean(0)) / log.std(0)
        change = front[1:] - front[:-1]
        self.kind = torch.bucketize(change, torch.tensor([-0.12, 0.12]))

    def __len__(self):
        return DAYS - WINDOW - 1

    def __getitem__(self, index):
        return self.log[index : index + WINDOW + 1], self.kind[index + WINDOW - 1]


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv1d(3, 24, 3, padding=1), nn.ReLU(), nn.Conv1d(24, 24, 3, padding=1), nn.ReLU())
        self.pool = nn.AdaptiveMaxPool1d(2)
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(48, KINDS))

    def forward(self, log):
        return self.head(self.pool(self.encode(log.transpose(1, 2))))


def measure(model, loader, criterion):
    model.eval()
    total, right, count = 0.0, 0, 0
    with torch.no_grad():
        for log, kind in loader:
            scores = model(log)
            total += criterion(scores, kind).item() * len(kind)
            right += (scores.argmax(1) == kind).sum().item()
            count += len(kind)
    return total / count, right / count


stations = ConcatDataset([Station(12, 9), Station(4, 14), Station(22, 5), Station(-3, 11)])
train, held = random_split(stations, [0.8, 0.2], generator=torch.Generator().manual_seed(1))
train_loader = DataLoader(train, batch_size=40, shuffle=True)
held_loader = DataLoader(held, batch_size=80)

model = Forecaster()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3, momentum=0.5)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=1)
features = {}
handle = model.pool.register_forward_hook(lambda module, given, result: features.update(pooled=result.detach().flatten(1)))

best, kept = math.inf, None
for epoch in range(8):
    model.train()
    for log, kind in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(log), kind)
        loss.backward()
        optimizer.step()
    held_loss, share = measure(model, held_loader, criterion)
    plateau.step(held_loss)
    if held_loss < best:
        best, kept = held_loss, io.BytesIO()
        torch.save(model.state_dict(), kept)
    spread = features["pooled"].std(0).mean().item()
    print(f"epoch {epoch}: held-out loss {held_loss:.3f}, right {share:.2f}, spread of features {spread:.3f}")
handle.remove()

kept.seek(0)
model.load_state_dict(torch.load(kept, weights_only=True))
print(f"best: {measure(model, held_loader, criterion)[0]:.3f}")
