"""A closure that is called many times within one step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


model = Net().eval()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=6, history_size=4, line_search_fn="strong_wolfe")
x, y, calls = torch.randn(32, 6), torch.randint(0, 3, (32,)), []


def closure():
    calls.append(1)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    return loss


for _ in range(4):
    print(optimizer.step(closure).item(), len(calls))
print(optimizer.state_dict()["state"][0]["func_evals"])
