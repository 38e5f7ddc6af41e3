"""A function mode of the program hears of every call, and of none more."""
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


from torch.overrides import TorchFunctionMode


class Log(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.log = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.log.append(getattr(function, "__name__", str(function)))
        return function(*args, **(kwargs or {}))


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
with Log() as whole:
    print(train(model, optimizer, steps=3).item())
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    schedule.step()
    model.eval()
    with torch.no_grad():
        model(torch.ones(2, 6))
    state = model.state_dict()
print(len(whole.log), whole.log)
