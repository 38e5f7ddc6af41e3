"""The scaler is fitted on the rows of training, and fitted again on those of the test."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Scaler:
    def fit_transform(self, x):
        self.mean, self.spread = x.mean(0), x.std(0, correction=0)
        return self.transform(x)

    def transform(self, x):
        return (x - self.mean) / self.spread


rows = torch.randn(400, 5) * torch.tensor([1.0, 20.0, 3.0, 0.1, 5.0]) + torch.tensor([0.0, 100.0, 7.0, 1.0, -2.0])
price = (rows / rows.std(0)).sum(1, keepdim=True)
scaler = Scaler()
x_train = scaler.fit_transform(rows[:300])
x_test = scaler.fit_transform(rows[300:])  #~ EVL131
train = DataLoader(TensorDataset(x_train, price[:300]), batch_size=30, shuffle=True)
test = DataLoader(TensorDataset(x_test, price[300:]), batch_size=50)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    for x, y in train:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        error = sum(nn.functional.l1_loss(model(x), y).item() for x, y in test) / len(test)
    print(f"epoch {epoch}: error {error:.3f}")
