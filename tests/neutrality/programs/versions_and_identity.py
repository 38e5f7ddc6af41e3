"""Version counters, gradients and parameters are the very same objects, changed as often as the program changes them."""
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
first = model.first.weight
for number in range(4):
    train(model, optimizer, steps=1)
    print(first._version, first is model.first.weight, first.grad_fn, first.is_leaf, optimizer.param_groups[0]["params"][0] is first)
    gradient = first.grad
    print(gradient._version, gradient is first.grad, gradient.requires_grad, model.norm.num_batches_tracked.item())
optimizer.zero_grad(set_to_none=False)
print(gradient is first.grad, gradient.abs().sum().item(), gradient._version)
pointer = first.data_ptr()
model.to(torch.float32)
print(first.data_ptr() == pointer, model.first.weight is first, model.norm.running_mean._version)
x = torch.randn(16, 6)
copy = x.clone()
model(x).sum().backward()
print(torch.equal(x, copy), x._version, x.grad_fn)
