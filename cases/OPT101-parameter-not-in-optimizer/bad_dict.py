"""Multi-task regression whose per-task heads live in a plain dictionary."""
import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
        self.heads = {task: nn.Linear(24, 1) for task in ("height", "weight")}  #~ OPT101

    def forward(self, x):
        h = self.shared(x)
        return {task: head(h).squeeze(1) for task, head in self.heads.items()}


x = torch.randn(256, 6)
targets = {"height": x.sum(1), "weight": 3 * x[:, 0] - x[:, 1]}
model = MultiTask()
opt = torch.optim.Adam(model.parameters(), lr=0.02)  #~? OPT101
for step in range(60):
    pick = torch.randint(0, 256, (64,))
    out = model(x[pick])
    loss = sum(((out[t] - targets[t][pick]) ** 2).mean() for t in targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.4f}")
