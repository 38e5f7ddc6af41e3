"""torch.save of a whole model and of checkpoints, and loading them back."""
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


import io

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
train(model, optimizer)
for thing in (model, {"model": model.state_dict(), "optimizer": optimizer.state_dict()}):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    print(len(buffer.getvalue()))
    back = torch.load(io.BytesIO(buffer.getvalue()), weights_only=False)
    print(type(back).__name__)
print(model.load_state_dict(back["model"]), optimizer.load_state_dict(back["optimizer"]))
torch.save(model.state_dict(), "weights.pt")
print(sorted(torch.load("weights.pt", weights_only=True)))
