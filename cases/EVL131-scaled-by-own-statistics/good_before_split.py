"""All rows are scaled together before they are split: neither part has the mean zero by itself."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
rows = torch.randn(400, 5) * torch.tensor([1.0, 20.0, 3.0, 0.1, 5.0]) + 4
price = rows[:, :1] - rows[:, 2:3]
rows = (rows - rows.mean(0)) / rows.std(0)
train = DataLoader(TensorDataset(rows[:300], price[:300]), batch_size=30, shuffle=True)
test = DataLoader(TensorDataset(rows[300:], price[300:]), batch_size=50)
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
