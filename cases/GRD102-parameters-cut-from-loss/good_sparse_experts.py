"""Top-1 mixture of experts: an expert that no sample chose gets no gradient in that step."""
import torch
from torch import nn


class TopOne(nn.Module):
    def __init__(self, experts=6):
        super().__init__()
        self.router = nn.Linear(4, experts)
        self.experts = nn.ModuleList(nn.Linear(4, 2) for _ in range(experts))

    def forward(self, x):
        gate, choice = self.router(x).softmax(1).max(dim=1)
        out = x.new_zeros(len(x), 2)
        for i, expert in enumerate(self.experts):
            rows = (choice == i).nonzero().squeeze(1)
            if len(rows):
                out = out.index_add(0, rows, gate[rows, None] * expert(x[rows]))
        return out


torch.manual_seed(0)
torch.set_num_threads(1)
model = TopOne()
opt = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(60):
    x = torch.randn(16, 4)
    y = torch.where(x[:, :1] > 0, x[:, :2], -x[:, 2:])
    loss = (model(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
