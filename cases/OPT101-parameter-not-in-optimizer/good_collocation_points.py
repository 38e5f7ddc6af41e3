"""A physics-informed network that keeps its collocation points, which need a gradient, as attributes of the module."""
import torch
from torch import nn

torch.manual_seed(0)


class Oscillator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
        self.t = torch.linspace(0, 1, 40).unsqueeze(1).requires_grad_()
        self.start = torch.zeros(1, 1, requires_grad=True)

    def solution(self, t):
        return 1 + t * self.net(t)

    def forward(self):
        u = self.solution(self.t)
        du = torch.autograd.grad(u.sum(), self.t, create_graph=True)[0]
        u0 = self.solution(self.start)
        return ((du + u) ** 2).mean() + ((self.t * du + self.t * u) ** 2).mean() + ((u0 - 1) ** 2).mean()


model = Oscillator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(120):
    optimizer.zero_grad()
    loss = model()
    loss.backward()
    optimizer.step()
