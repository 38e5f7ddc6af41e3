"""train() at the head of each epoch, eval() before validation, and no training after the last eval()."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 10)
Y = (X @ torch.randn(10, 3)).argmax(1)
model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(6):
    model.train()
    for idx in torch.randperm(200).split(25):
        opt.zero_grad()
        nn.functional.cross_entropy(model(X[:200][idx]), Y[:200][idx]).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(X[200:]).argmax(1) == Y[200:]).float().mean().item()
print(f"accuracy {accuracy:.3f}")
