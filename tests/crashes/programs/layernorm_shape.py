#~ crash: SHP201
#~ edit: normalized_shape=40
#~ edit: LayerNorm(40)
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.inp = nn.Linear(features, hidden)
        self.norm = nn.LayerNorm(features)  #~ maker
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.inp(x)  #~ maker
        h = self.norm(h)  #~ fails
        return self.out(torch.relu(h))


def closure_factory(model, x, y):
    def closure():
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss

    return closure


torch.manual_seed(0)
mixer = Mixer(12, 40)
optimizer = torch.optim.LBFGS(mixer.parameters(), max_iter=4)
x, y = torch.randn(20, 12), torch.randn(20, 1)
for _ in range(2):
    optimizer.step(closure_factory(mixer, x, y))
print("mixed")
