"""torch.func: gradients of gradients, per-sample gradients, jacobians, functional calls."""
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


from torch.func import functional_call, grad, hessian, jacrev, jvp, vmap

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
model.eval()
train(model, optimizer, steps=2)
model.eval()
parameters = dict(model.named_parameters())
x, y = torch.randn(5, 6), torch.randint(0, 3, (5,))


def loss(parameters, x, y):
    return nn.functional.cross_entropy(functional_call(model, parameters, (x[None],)), y[None])


each = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
print({name: value.sum().item() for name, value in each.items()})
print(jacrev(lambda v: model(v[None])[0])(x[0]).sum().item(), hessian(lambda v: model(v[None]).pow(3).sum())(x[0]).sum().item())
print(jvp(lambda v: model(v[None]).sum(), (x[0],), (torch.ones(6),))[1].item())
inner = torch.autograd.grad(nn.functional.cross_entropy(model(x), y), list(model.parameters()), create_graph=True)
torch.autograd.grad(sum(g.pow(2).sum() for g in inner), list(model.parameters()))
model(x).sum().backward()
print(sum(p.grad.sum().item() for p in model.parameters()))
