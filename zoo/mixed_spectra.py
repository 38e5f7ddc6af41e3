"""Tell minerals by their spectra: pairs of spectra are mixed (mixup), and the targets of both are weighed by their shares."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(13)
np.random.seed(13)
torch.set_num_threads(1)
MINERALS, LENGTH = 5, 64


def spectra(count):
    places = torch.linspace(0, 1, LENGTH)
    kinds = torch.randint(0, MINERALS, (count,))
    lines = torch.tensor([[0.1, 0.4], [0.2, 0.7], [0.3, 0.5], [0.5, 0.9], [0.6, 0.8]])[kinds]
    peaks = torch.exp(-(((places - lines[..., None] - 0.01 * torch.randn(count, 2, 1)) / 0.03) ** 2))
    return (peaks * torch.rand(count, 2, 1)).sum(1, keepdim=True) + 0.1 * torch.randn(count, 1, LENGTH), kinds


def mixup_data(x, y, alpha=0.4):
    """Returns mixed inputs, pairs of targets, and the share of the first."""
    lam = np.random.beta(alpha, alpha)
    index = torch.randperm(x.size(0))
    return lam * x + (1 - lam) * x[index], y, y[index], lam


def mixup_criterion(criterion, pred, y_a, y_b, lam):
    return lam * criterion(pred, y_a) + (1 - lam) * criterion(pred, y_b)


train = DataLoader(TensorDataset(*spectra(480)), batch_size=32, shuffle=True)
held = DataLoader(TensorDataset(*spectra(120)), batch_size=60)
model = nn.Sequential(
    nn.Conv1d(1, 16, 7, padding=3),
    nn.BatchNorm1d(16),
    nn.ReLU(),
    nn.MaxPool1d(4),
    nn.Conv1d(16, 16, 5, padding=2),
    nn.ReLU(),
    nn.AdaptiveAvgPool1d(8),
    nn.Flatten(),
    nn.Linear(128, MINERALS),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
for epoch in range(8):
    model.train()
    for inputs, targets in train:
        inputs, targets_a, targets_b, lam = mixup_data(inputs, targets)
        loss = mixup_criterion(criterion, model(inputs), targets_a, targets_b, lam)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

model.eval()
right = 0
with torch.no_grad():
    for inputs, targets in held:
        right += (model(inputs).argmax(1) == targets).sum().item()
print(f"minerals told rightly {right / 120:.3f}")
