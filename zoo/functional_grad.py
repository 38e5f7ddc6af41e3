"""Differentially private training: per-sample gradients by vmap of grad, each clipped, with noise on their mean."""

import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap

torch.manual_seed(13)
torch.set_num_threads(1)

MAX_NORM = 1.0
NOISE_MULTIPLIER = 0.4
BATCH_SIZE = 64


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(12, 32)
        self.fc2 = nn.Linear(32, 3)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


def make_data(count, weights):
    x = torch.randn(count, 12)
    return x, (x @ weights).argmax(dim=1)


weights = torch.randn(12, 3)
train_x, train_y = make_data(1024, weights)
test_x, test_y = make_data(512, weights)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.5)


def sample_loss(params, x, y):
    logits = functional_call(model, params, (x.unsqueeze(0),))
    return F.cross_entropy(logits, y.unsqueeze(0))


per_sample_gradients = vmap(grad(sample_loss), in_dims=(None, 0, 0))


def private_step(x, y):
    params = {name: parameter.detach() for name, parameter in model.named_parameters()}
    gradients = per_sample_gradients(params, x, y)
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in gradients.values()]).norm(dim=0)
    factors = (MAX_NORM / (norms + 1e-6)).clamp(max=1.0)
    for name, parameter in model.named_parameters():
        clipped = torch.einsum("b,b...->...", factors, gradients[name])
        noise = NOISE_MULTIPLIER * MAX_NORM * torch.randn_like(parameter)
        parameter.grad = (clipped + noise) / len(x)
    optimizer.step()


@torch.no_grad()
def evaluate():
    logits = model(test_x)
    return F.cross_entropy(logits, test_y).item(), (logits.argmax(1) == test_y).float().mean().item()


print("before: loss %.4f accuracy %.3f" % evaluate())
for epoch in range(10):
    order = torch.randperm(len(train_x))
    for index in order.split(BATCH_SIZE):
        private_step(train_x[index], train_y[index])
print("after:  loss %.4f accuracy %.3f" % evaluate())
