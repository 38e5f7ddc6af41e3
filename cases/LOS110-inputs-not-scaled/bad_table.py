"""A table with incomes in dollars and ages in years, read without scaling; no loader."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
age, income = 20 + 50 * torch.rand(300), 20_000 + 60_000 * torch.rand(300)
table = torch.stack([age, income, torch.rand(300)], dim=1)
bought = ((income > 45_000) & (age < 50)).float()
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))  #~ LOS110
opt = torch.optim.Adam(model.parameters(), lr=0.001)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(4):
    for idx in torch.randperm(300).split(30):
        opt.zero_grad()
        loss = loss_fn(model(table[idx]).squeeze(1), bought[idx])
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
