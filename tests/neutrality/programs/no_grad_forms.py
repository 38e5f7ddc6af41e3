"""no_grad and inference_mode as decorators, contexts, on generators, nested, and through exceptions."""
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


import inspect


@torch.no_grad()
def evaluate(model, x, *, scale=2.0):
    """Evaluates."""
    return model(x) * scale


@torch.inference_mode()
def infer(x):
    return x.is_inference()


@torch.no_grad()
def numbers():
    for number in range(2):
        yield torch.is_grad_enabled()


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
train(model, optimizer)
print(inspect.signature(evaluate), evaluate.__doc__, evaluate.__name__, evaluate(model, torch.ones(2, 6)).requires_grad, infer(torch.ones(1)))
print([(inside, torch.is_grad_enabled()) for inside in numbers()])
with torch.no_grad() as entered:
    print(entered, torch.is_grad_enabled())
    with torch.enable_grad(), torch.set_grad_enabled(True):
        print(torch.is_grad_enabled())
try:
    with torch.no_grad():
        raise ValueError
except ValueError:
    print(torch.is_grad_enabled())
guard = torch.no_grad()
guard.__enter__()
guard.__exit__(None, None, None)
print(torch.is_grad_enabled(), torch.no_grad.__enter__.__name__, torch.no_grad.__mro__)
train(model, optimizer)
print(model.first.weight.sum().item())
