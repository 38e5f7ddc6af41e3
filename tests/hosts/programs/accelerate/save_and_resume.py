"""Saves the whole state after each epoch, stops early, and goes on from the best epoch's state."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)
accelerator = Accelerator(cpu=True)
x = torch.randn(200, 5)
y = (x @ torch.tensor([1.0, -2.0, 0.5, 0.0, 0.0])).unsqueeze(1) + 0.1 * torch.randn(200, 1)
train, held = DataLoader(TensorDataset(x[:150], y[:150]), batch_size=25, shuffle=True), DataLoader(TensorDataset(x[150:], y[150:]), batch_size=50)
model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
model, optimizer, train, held, scheduler = accelerator.prepare(model, optimizer, train, held, scheduler)


@torch.inference_mode()
def evaluate():
    model.eval()
    return sum(nn.functional.mse_loss(model(a), b, reduction="sum").item() for a, b in held) / 50


def epoch():
    model.train()
    for a, b in train:
        loss = nn.functional.mse_loss(model(a), b)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
    scheduler.step()


best, worse = float("inf"), 0
for number in range(8):
    epoch()
    value = evaluate()
    print(number, round(value, 6))
    if value < best:
        best, worse = value, 0
        accelerator.save_state("best")
    else:
        worse += 1
        if worse >= 2:
            break
accelerator.load_state("best")
assert abs(evaluate() - best) < 1e-6
for number in range(2):
    epoch()
    print("again", round(evaluate(), 6))
accelerator.save_model(model, "model")
