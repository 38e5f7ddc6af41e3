"""The consistency term of a two-view model is computed with gradients off."""
import torch
from torch import nn
import torch.nn.functional as F


class TwoViews(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Linear(8, 24), nn.ReLU()), nn.Linear(24, 3)

    def forward(self, x):
        h = self.body(x)
        return h, self.head(h)


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 8)
Y = (X @ torch.randn(8, 3)).argmax(1)
net = TwoViews()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(5):
    for idx in torch.randperm(240).split(24):
        x, y = X[idx], Y[idx]
        h, logits = net(x)
        task = F.cross_entropy(logits, y)
        with torch.no_grad():
            consistency = (h[::2] - h[1::2]).pow(2).mean()  #~ LOS108
        total = task + 0.5 * consistency  #~? LOS108
        opt.zero_grad()
        total.backward()
        opt.step()
print(f"loss {total.item():.3f}")
