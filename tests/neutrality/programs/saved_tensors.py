"""Saved-tensor hooks, checkpointing and anomaly mode."""
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


from torch.utils.checkpoint import checkpoint

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
packed = []


def pack(tensor):
    packed.append(tuple(tensor.shape))
    return tensor.clone()


for _ in range(3):
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = checkpoint(model, torch.randn(8, 6), use_reentrant=False).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(packed)
x = torch.randn(8, 6, requires_grad=True)
checkpoint(model, x, use_reentrant=True).sum().backward()
with torch.autograd.detect_anomaly(check_nan=True):
    loss = (model(torch.randn(8, 6)) * 0).sum().sqrt()
    try:
        loss.backward()
    except RuntimeError as error:
        print(str(error)[:80])
