"""eval() and train() are called in the wrong place, so each validation pass runs with dropout."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(360, 9)
Y = 2 * X[:, :1] - X[:, 1:2]
model = nn.Sequential(nn.Linear(9, 64), nn.Tanh(), nn.Dropout(0.6), nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
best = float("inf")
for epoch in range(6):
    for part in torch.randperm(280).split(28):
        model.eval()
        model.train()
        loss = (model(X[part]) - Y[part]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        held_out = (model(X[280:]) - Y[280:]).pow(2).mean().item()  #~ MOD102
    best = min(best, held_out)
print(f"best held-out mse {best:.3f}")
