"""Monte Carlo dropout by modules: all in eval mode but the dropout layers, which are put back into train mode."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 4)
Y = X.sum(1, keepdim=True)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(60):
    idx = torch.randint(0, 192, (32,))
    loss = nn.functional.mse_loss(net(X[idx]), Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
for module in net.modules():
    if isinstance(module, nn.Dropout):
        module.train()
with torch.no_grad():
    draws = torch.stack([net(X[192:]) for _ in range(20)])
print(f"spread {draws.std(0).mean().item():.3f}")
