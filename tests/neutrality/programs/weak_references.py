"""Objects die when a program lets go of them, at once where no cycle holds them."""
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


import gc
import weakref

from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
loader = DataLoader(data, batch_size=8, shuffle=True)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
scaler = torch.amp.GradScaler("cpu")
for x, y in loader:
    output = model(x)
    loss = nn.functional.cross_entropy(output, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
schedule.step()
state = model.state_dict()
with torch.no_grad():
    evaluated = model.eval()(x)
references = {
    "loss": weakref.ref(loss), "output": weakref.ref(output), "evaluated": weakref.ref(evaluated), "x": weakref.ref(x), "grad": weakref.ref(model.first.weight.grad),
    "model": weakref.ref(model), "weight": weakref.ref(model.first.weight), "optimizer": weakref.ref(optimizer), "schedule": weakref.ref(schedule),
    "loader": weakref.ref(loader), "data": weakref.ref(data), "scaler": weakref.ref(scaler), "tensor": weakref.ref(data.tensors[0]),
}
gc.collect()
gc.disable()
del loss, output, evaluated, x, y
print(sorted(name for name, reference in references.items() if reference() is None))
optimizer.zero_grad()
print("grad", references["grad"]() is None)
del loader, data, state, scaler
print(sorted(name for name, reference in references.items() if reference() is None))
del model, optimizer, schedule
gc.collect()
print(sorted(name for name, reference in references.items() if reference() is not None))
