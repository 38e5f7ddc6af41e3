"""Fit a regression with standardised targets and a mean squared error written by hand."""

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(2024)
rng = np.random.default_rng(2024)

# House prices, in thousands, from size, age, rooms and distance.
n = 1200
size = rng.uniform(40, 200, n)
age = rng.uniform(0, 80, n)
rooms = np.round(size / 30 + rng.uniform(0, 2, n))
distance = rng.exponential(8, n)
price = 2.5 * size - 0.8 * age + 15 * rooms + 400 / (1 + distance) + rng.normal(0, 15, n)
table = np.column_stack([size, age, rooms, distance])

order = rng.permutation(n)
train_rows, test_rows = order[:1000], order[1000:]
x_mean, x_std = table[train_rows].mean(axis=0), table[train_rows].std(axis=0)
y_mean, y_std = price[train_rows].mean(), price[train_rows].std()
X = torch.tensor((table - x_mean) / x_std, dtype=torch.float32)
Y = torch.tensor((price - y_mean) / y_std, dtype=torch.float32).reshape(-1, 1)
X_train, Y_train = X[train_rows], Y[train_rows]
X_test, Y_test = X[test_rows], Y[test_rows]

model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def mse(prediction, target):
    return ((prediction - target) ** 2).mean()


batch_size = 50
for epoch in range(1, 26):
    permutation = torch.randperm(len(X_train))
    epoch_loss = 0.0
    for start in range(0, len(X_train), batch_size):
        rows = permutation[start : start + batch_size]
        prediction = model(X_train[rows])
        loss = mse(prediction, Y_train[rows])
        model.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(rows)
    if epoch in (1, 5, 25):
        print(f"epoch {epoch:2d} train mse {epoch_loss / len(X_train):.4f}")

with torch.no_grad():
    error = (model(X_test) - Y_test) * y_std
print(f"test error {error.abs().mean().item():.1f} thousand, spread of prices {y_std:.1f} thousand")
