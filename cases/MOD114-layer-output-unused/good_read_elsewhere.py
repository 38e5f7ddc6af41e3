"""Results that are read on the host, kept by a hook or an attribute, or needed on another path alone."""

import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, h):
        self.penalty = self.score(h).square().mean()
        return h


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.body, self.out = nn.Linear(6, width), nn.Linear(width, 3)
        self.probe, self.gauge, self.tap = Probe(width), nn.Linear(width, 1), nn.Linear(width, 2)
        self.extra = nn.Linear(width, 3)
        self.use_extra, self.seen, self.history = False, [], []

    def forward(self, x):
        h = torch.relu(self.body(x))
        passed = self.probe(h)
        level = self.gauge(h).mean().item()
        self.history.append(level)
        tapped = self.tap(h)
        extra = self.extra(h)
        answer = self.out(h)
        if self.use_extra:
            answer = answer + extra
        unused_features = self.extra(h.detach())
        return answer


torch.manual_seed(0)
torch.set_num_threads(1)
model = Net()
model.tap.register_forward_hook(lambda module, given, output: model.seen.append(output.detach().std()))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)) + 0.1 * model.probe.penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}, level {model.history[-1]:.3f}, {len(model.seen)} taps")
