"""Two optimizers are stepped after one backward, and the head's parameters are in both."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        return self.head(self.backbone(x))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Net()
slow = torch.optim.SGD(model.parameters(), lr=0.12, momentum=0.5)
fast = torch.optim.SGD(model.head.parameters(), lr=0.3)  #~? OPT108
for step in range(80):
    x = torch.randn(32, 6)
    loss = (model(x) - x.pow(2).sum(1, keepdim=True) / 4).pow(2).mean()
    slow.zero_grad()
    fast.zero_grad()
    loss.backward()
    slow.step()  #~? OPT108
    fast.step()  #~ OPT108
print(f"loss {loss.item():.4f}")
