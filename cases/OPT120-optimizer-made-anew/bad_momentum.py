"""Prices of flats: SGD with a long momentum, made where each epoch begins, forgets it each time."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
flats = torch.randn(600, 9) @ torch.randn(9, 9)
flats = (flats - flats[:480].mean(0)) / flats[:480].std(0)
prices = flats @ torch.randn(9, 1) + 0.1 * torch.randn(600, 1)
loader = DataLoader(TensorDataset(flats[:480], prices[:480]), batch_size=120, shuffle=True)
model = nn.Linear(9, 1)


def train_epoch(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.95)  #~ OPT120
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()


for epoch in range(12):
    train_epoch(model, loader)
model.eval()
with torch.no_grad():
    print(f"error {nn.functional.mse_loss(model(flats[480:]), prices[480:]):.4f}")
