"""A forward hook gathers activations in an object, of which a line of the log reads how many they are and the last one."""

import torch
from torch import nn


class Probe:
    def __init__(self, layer):
        self.activations = []
        layer.register_forward_hook(self._store)

    def _store(self, module, inputs, output):
        self.activations.append((output.detach(), inputs[0].abs().mean().item()))  #~ HDW121

    def line(self):
        return f"{len(self.activations)} seen, the last one at {self.activations[-1][0].mean():.3f}"


def fit(model, probe, steps=160):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(steps):
        x = torch.randn(64, 12)
        loss = nn.functional.mse_loss(model(x), x.sin().sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 40 == 0:
            print(step, probe.line())


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(12, 64), nn.Tanh(), nn.Linear(64, 1))
    fit(model, Probe(model[1]))


main()
