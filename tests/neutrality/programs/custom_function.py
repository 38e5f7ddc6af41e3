"""Functions with a backward of their own, hooks on gradients, retained gradients, double backward."""
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


class Cube(torch.autograd.Function):
    calls = []

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        Cube.calls.append("forward")
        return x**3

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        Cube.calls.append(ctx.needs_input_grad)
        return 3 * x**2 * gradient


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for _ in range(4):
    output = Cube.apply(model(torch.randn(8, 6)))
    output.retain_grad()
    loss = output.mean()
    (gradient,) = torch.autograd.grad(loss, [output], create_graph=True)
    optimizer.zero_grad()
    (loss + gradient.pow(2).sum()).backward()
    optimizer.step()
    print(loss.item(), output.grad.sum().item(), type(output.grad_fn).__name__, output._version)
print(Cube.calls)
