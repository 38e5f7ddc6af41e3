"""Exceptions out of every watched function reach the program as they are."""
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


from torch.utils.data import DataLoader

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)


class Broken(nn.Module):
    def forward(self, x):
        raise KeyError("forward")


class Data:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 2:
            raise LookupError("item")
        return torch.zeros(6)


def fails(function):
    try:
        function()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0][:90], type(error.__cause__).__name__, type(error.__context__).__name__)


x = torch.randn(4, 6)
loss = model(x).sum()
loss.backward()
fails(lambda: loss.backward())
fails(lambda: model(x).backward())
fails(lambda: torch.ones(1).backward())
fails(lambda: Broken()(x))
fails(lambda: model(x, x))
fails(lambda: torch.optim.SGD([], lr=0.1))
fails(lambda: torch.optim.SGD(model.parameters(), lr=-1))
fails(lambda: optimizer.add_param_group({"params": model.parameters()}))
fails(lambda: optimizer.step(lambda: 1 / 0))
fails(lambda: model.load_state_dict({}))
fails(lambda: list(DataLoader(Data())))
fails(lambda: DataLoader(Data(), batch_size=0))
fails(lambda: model.train("yes"))
fails(lambda: torch.save(lambda: 0, "x.pt"))
fails(lambda: torch.amp.GradScaler("cpu").step(optimizer))
fails(lambda: torch.optim.lr_scheduler.StepLR(model, 1))
train(model, optimizer)
print(model.first.weight.sum().item())
