"""A compiled step stays compiled: as many graphs, breaks and recompilations as without a watch."""
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


from torch._dynamo.utils import counters

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
graphs = []


def backend(module, inputs):
    graphs.append([str(node.target) for node in module.graph.nodes])
    return module.forward


compiled = torch.compile(model, backend=backend)
for size in (16, 16, 8, 8, 4):
    loss = nn.functional.cross_entropy(compiled(torch.randn(size, 6)), torch.randint(0, 3, (size,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), len(graphs))
compiled.eval()
with torch.no_grad():
    print(compiled(torch.ones(4, 6)).sum().item(), len(graphs))
model.compile(backend=backend)
print(model(torch.ones(4, 6)).sum().item(), len(graphs), type(compiled).__name__)
print(dict(counters["stats"]), dict(counters["graph_break"]), dict(counters["frames"]))
print(graphs)
