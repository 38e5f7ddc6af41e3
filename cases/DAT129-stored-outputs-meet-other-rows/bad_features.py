"""The features of a frozen encoder are joined to one array in the order of a shuffling loader, and cut again in the next one."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
torch.set_num_threads(1)
SIZE = 24


class Encoder(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(12, 12) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


@torch.no_grad()
def features_of(encoder, loader):
    return torch.cat([encoder(x) for (x,) in loader]).numpy()


data = torch.randn(480, 12)
loader = DataLoader(TensorDataset(data), batch_size=SIZE, shuffle=True)
large, small = Encoder(4), Encoder(1)
optimizer = torch.optim.SGD(small.parameters(), lr=0.1)
features = features_of(large, loader)
for epoch in range(3):
    for step, (x,) in enumerate(loader):
        target = torch.from_numpy(features[step * SIZE : (step + 1) * SIZE])  #~ DAT129
        loss = ((small(x) - target) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
