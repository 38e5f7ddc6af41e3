"""No object of the program gains an attribute."""
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


from torch.utils.data import DataLoader, TensorDataset

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
data = TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
loader = DataLoader(data, batch_size=8)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=10)
scaler = torch.amp.GradScaler("cpu")
for x, y in loader:
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    schedule.step()
for thing in (model, model.first, optimizer, loader, loader.sampler, data, schedule, scaler):
    print(type(thing).__module__, type(thing).__qualname__, sorted(vars(thing)), sorted(set(dir(thing)) - set(dir(type(thing)))))
for tensor in (model.first.weight, loss, x, y):
    print(sorted(vars(tensor)), tensor._backward_hooks, tensor._version, type(tensor.grad_fn).__name__)
print(type(model.forward).__name__, type(optimizer) is torch.optim.AdamW, isinstance(model, nn.Module), model, optimizer)
