"""The program patches torch itself, and puts it back."""
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


from unittest import mock

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
with mock.patch.object(torch.optim.Optimizer, "zero_grad", autospec=True) as zero:
    train(model, optimizer, steps=2)
    print(zero.call_count)
with mock.patch("torch.nn.utils.clip_grad_norm_", return_value=7) as clip:
    print(nn.utils.clip_grad_norm_(model.parameters(), 1.0), clip.call_count)
original = nn.Module.__call__


def call(self, *args, **kwargs):
    names.append(type(self).__name__)
    return original(self, *args, **kwargs)


names = []
nn.Module.__call__ = call
train(model, optimizer, steps=1)
nn.Module.__call__ = original
backward = torch.Tensor.backward
torch.Tensor.backward = lambda self, *args, **kwargs: (print("backward"), backward(self, *args, **kwargs))[1]
train(model, optimizer, steps=1)
torch.Tensor.backward = backward
print(names, train(model, optimizer).item())
