"""Images come sorted by class, as from one folder after the other, and the loader does not shuffle them."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
centres = torch.randn(5, 20)
Y = torch.arange(5).repeat_interleave(100)
X = centres[Y] + torch.randn(500, 20)
loader = DataLoader(TensorDataset(X, Y), batch_size=25)  #~ DAT103
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
