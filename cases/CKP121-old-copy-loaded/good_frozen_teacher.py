"""A teacher is read anew for each epoch from the weights of a model that was trained before."""

import copy

import torch
from torch import nn


def network():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))


def train(model, wanted, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        x = torch.randn(32, 4)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), wanted(x))
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
first, teacher, student = network(), network(), network()
print(f"first: {train(first, lambda x: x.sum(1, keepdim=True), 60):.3f}")
weights = copy.deepcopy(first.state_dict())
teacher.requires_grad_(False).eval()
for epoch in range(4):
    teacher.load_state_dict(weights)
    print(f"student: {train(student, teacher, 20):.3f}")
