"""Two heads share a trunk and take turns; in each step one head gets no gradient at all."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 32)
        self.heads = nn.ModuleDict({"sum": nn.Linear(32, 1), "max": nn.Linear(32, 1)})

    def forward(self, x, task):
        return self.heads[task](self.trunk(x).relu())


net = TwoHeads()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
last = {}
for step in range(80):
    task = "sum" if step % 2 == 0 else "max"
    x = torch.randn(32, 6)
    y = x.sum(1, keepdim=True) if task == "sum" else x.amax(1, keepdim=True)
    loss = (net(x, task) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    last[task] = round(loss.item(), 3)
print(f"losses {last}")
