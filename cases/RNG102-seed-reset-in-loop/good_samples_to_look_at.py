"""A generator is shown from the same noise each time; training has a generator of its own that goes on."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
own = torch.Generator().manual_seed(1)
X = torch.randn(256, 10)
loader = DataLoader(TensorDataset(X), batch_size=32, shuffle=True, generator=own)
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(5):
    for (x,) in loader:
        z = torch.randn(len(x), 4, generator=own)
        optimizer.zero_grad()
        loss = (model(z).mean(0) - x.mean(0)).square().sum() + (model(z).std(0) - x.std(0)).square().sum()
        loss.backward()
        optimizer.step()
    torch.manual_seed(99)
    with torch.no_grad():
        print(epoch, model(torch.randn(2, 4))[0, 0].item())
