"""Soft targets compared with a softmax over the batch by mean squared error."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 6)
soft = torch.softmax(2 * X @ torch.randn(6, 3), dim=1)
model = nn.Sequential(nn.Linear(6, 24), nn.GELU(), nn.Linear(24, 3), nn.Softmax(dim=0))  #~ LOS104
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
loss_fn = nn.MSELoss()
for epoch in range(5):
    for idx in torch.randperm(240).split(24):
        probabilities = model(X[idx])
        loss = loss_fn(probabilities, soft[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.4f}")
