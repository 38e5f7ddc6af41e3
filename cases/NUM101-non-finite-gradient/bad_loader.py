"""One row of the data set holds NaN, and the shuffled loader delivers it somewhere in the first epoch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(900, 6)
y = (x[:, 0] > x[:, 1]).long()
x[417, 3] = float("nan")
loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
net = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
for inputs, labels in loader:
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(inputs), labels)  #~ NUM101
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
