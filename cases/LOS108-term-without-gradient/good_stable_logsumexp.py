"""The largest score is taken out of the exponentials and added again: it cancels, so it needs no gradient."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 5))
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD([*model.parameters(), *critic.parameters()], lr=0.05)


def step(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for i in range(20):  # one sample at a time: the loss is written for a vector of scores
    x = torch.randn(6)
    label = int(x[:5].argmax())
    scores = model(x)
    largest = scores.max().detach()
    step(largest + torch.log(torch.exp(scores - largest).sum()) - scores[label])

for i in range(20):
    x = torch.randn(6)
    label = int(x[:5].argmax())
    scores = model(x)
    largest = scores.max()
    step(largest.detach() + torch.log(torch.exp(scores - largest.detach()).sum()) - scores[label])

for i in range(20):
    x = torch.randn(6)
    label = int(x[:5].argmax())
    scores = model(x)
    largest = scores.max().item()
    step(torch.log(torch.exp(scores - largest).sum()) + largest - scores[label])

for i in range(20):  # the bound of Donsker and Varadhan
    a = torch.randn(64, 1)
    b = a + 0.3 * torch.randn(64, 1)
    joint = critic(torch.cat([a, b], 1))
    apart = critic(torch.cat([a, b[torch.randperm(64)]], 1))
    with torch.no_grad():
        largest = apart.max()
    step(-(joint.mean() - (torch.log(torch.exp(apart - largest).mean()) + largest)))
