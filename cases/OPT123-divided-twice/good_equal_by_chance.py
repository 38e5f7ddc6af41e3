"""Other divisions by the number that Accelerate has: a sum by its samples, two terms by their count, and a half of a square."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def train(loss_of, *, accumulated, batch_size):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=accumulated)
    accelerator.gradient_accumulation_steps = accumulated
    x = torch.randn(96, 6)
    loader = DataLoader(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), batch_size=batch_size, shuffle=True)
    net = nn.Linear(6, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for xb, yb in loader:
        with accelerator.accumulate(net):
            accelerator.backward(loss_of(net, xb, yb))
            optimizer.step()
            optimizer.zero_grad()


def by_samples(net, x, y):
    return nn.functional.cross_entropy(net(x), y, reduction="sum") / len(x)


def of_two_views(net, x, y):
    views = [x, x + 0.1 * torch.randn_like(x)]
    return sum(nn.functional.cross_entropy(net(view), y) for view in views) / len(views)


def half_square(net, x, y):
    return nn.functional.mse_loss(net(x)[:, 0], y.float()) / 2


train(by_samples, accumulated=8, batch_size=8)
train(of_two_views, accumulated=2, batch_size=8)
train(half_square, accumulated=2, batch_size=6)
print("done")
