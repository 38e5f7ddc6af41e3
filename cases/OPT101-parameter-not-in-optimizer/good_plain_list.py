"""Layers in a plain Python list, with their parameters collected by hand for the optimizer."""
import itertools
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Stack:
    def __init__(self, sizes):
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = torch.tanh(layer(x))
        return self.layers[-1](x)

    def parameters(self):
        return itertools.chain.from_iterable(layer.parameters() for layer in self.layers)


stack = Stack([4, 16, 16, 1])
opt = torch.optim.RMSprop(stack.parameters(), lr=3e-3)
for _ in range(50):
    x = torch.randn(32, 4)
    y = (x[:, :1] * x[:, 1:2]).tanh()
    opt.zero_grad()
    loss = nn.functional.mse_loss(stack(x), y)
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
