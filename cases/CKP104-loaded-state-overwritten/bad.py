"""Pretrained weights are loaded, and then the whole model is initialised."""

import torch
from torch import nn


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)  #~ CKP104
        nn.init.zeros_(module.bias)


def make():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


torch.manual_seed(0)
torch.set_num_threads(1)
pretrained = make().state_dict()
model = make()
model.load_state_dict(pretrained)
model.apply(init_weights)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(32, 6)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long()).backward()
    optimizer.step()
