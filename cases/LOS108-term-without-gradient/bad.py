"""An L2 penalty is added to the loss as a plain number."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def l2_penalty(model):
    return sum(p.pow(2).sum() for p in model.parameters())


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 12)
Y = (X @ torch.randn(12, 4)).argmax(1)
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss += 1e-3 * l2_penalty(model).item()  #~ LOS108
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
