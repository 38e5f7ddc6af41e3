"""Keys, order and metadata of state dictionaries, taken in every way."""
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


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
train(model, optimizer)
state = model.state_dict()
print(list(state), state._metadata, type(state).__name__)
print(list(model.state_dict(prefix="x.")), list(model.state_dict(keep_vars=True)), [v.requires_grad for v in model.state_dict(keep_vars=True).values()])
into = {}
print(model.state_dict(destination=into) is into, list(into))
print(optimizer.state_dict()["param_groups"], list(optimizer.state_dict()["state"][0]))
print(model.load_state_dict({"first.bias": torch.zeros(12)}, strict=False))
try:
    model.load_state_dict({"first.bias": torch.zeros(12), "other": torch.zeros(1)})
except RuntimeError as error:
    print(error)
print(state["first.weight"].data_ptr() == model.first.weight.data_ptr())
