"""Sparse gradients, complex, double, integer and empty tensors, scalars."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

table = nn.EmbeddingBag(50, 4, sparse=True)
dense = nn.Linear(4, 1).double()
phase = nn.Parameter(torch.randn(3, dtype=torch.cfloat))
sparse = torch.optim.SparseAdam(table.parameters(), lr=0.1)
others = torch.optim.Adam([{"params": dense.parameters()}, {"params": [phase], "lr": 0.05}])
scalar = nn.Parameter(torch.tensor(2.0))
last = torch.optim.SGD([scalar, nn.Parameter(torch.empty(0))], lr=torch.tensor(0.1))
for _ in range(4):
    h = table(torch.randint(0, 50, (6, 3)))
    loss = dense(h.double()).mean() + phase.abs().sum() + (scalar - 1) ** 2
    for optimizer in (sparse, others, last):
        optimizer.zero_grad()
    loss.backward()
    print(table.weight.grad.is_sparse, table.weight.grad.coalesce().values().sum().item())
    for optimizer in (sparse, others, last):
        optimizer.step()
    print(loss.item(), phase.detach().sum().item(), scalar.item())
