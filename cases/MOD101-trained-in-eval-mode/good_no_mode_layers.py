"""eval() without train() does nothing to a model that has neither dropout nor batch statistics."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(5, 32), nn.LayerNorm(32), nn.GELU(), nn.Dropout(0.0), nn.Linear(32, 1))
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
X = torch.randn(300, 5)
Y = X.prod(dim=1, keepdim=True).tanh()
for epoch in range(5):
    for idx in torch.randperm(200).split(20):
        loss = (model(X[idx]) - Y[idx]).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        held_out = (model(X[200:]) - Y[200:]).abs().mean().item()
print(f"held-out error {held_out:.3f}")
