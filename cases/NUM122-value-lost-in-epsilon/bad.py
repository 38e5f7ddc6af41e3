"""The probabilities of eighty pixels are multiplied, and the small number in the logarithm is all that is left."""
import torch
from torch import nn


class Pixels(nn.Module):
    def __init__(self, hidden, pixels):
        super().__init__()
        self.decode = nn.Sequential(nn.Linear(hidden, 32), nn.ReLU(), nn.Linear(32, pixels), nn.Sigmoid())

    def forward(self, z):
        return self.decode(z)


torch.manual_seed(0)
torch.set_num_threads(1)
images = (torch.rand(400, 80) > 0.6).float()
codes = torch.randn(400, 6)
model = Pixels(6, 80)
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for rows in torch.randperm(400).split(20):
    p = model(codes[rows])
    x = images[rows]
    likelihood = (x * p + (1 - x) * (1 - p)).prod(dim=1)
    loss = -torch.log(likelihood + 1e-8).mean()  #~ NUM122
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
