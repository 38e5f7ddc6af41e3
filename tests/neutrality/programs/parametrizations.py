"""Parametrizations, weight and spectral normalization, pruning, parameter lists."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

from torch.nn.utils import parametrizations, parametrize, prune


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)


model = nn.Sequential(parametrizations.weight_norm(nn.Linear(6, 6)), parametrizations.spectral_norm(nn.Linear(6, 6)), nn.Linear(6, 6))
parametrize.register_parametrization(model[2], "weight", Symmetric())
prune.l1_unstructured(model[2], "bias", 2)
model.extra = nn.ParameterList([nn.Parameter(torch.ones(2))])
model.table = nn.ParameterDict({"a": nn.Parameter(torch.ones(1))})
model.register_parameter("none", None)
model.register_buffer("count", torch.zeros(1), persistent=False)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(4):
    loss = model[2](model[1](model[0](torch.randn(8, 6)))).pow(2).mean() + model.extra[0].sum() + model.table["a"].sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(list(dict(model.named_parameters())), list(model.state_dict()), type(model[2]).__name__, torch.equal(model[2].weight, model[2].weight.T))
