"""Trains as one of several ranks, replicated or sharded, with a head that broadcasts in the loss where it is asked to; each rank writes what it has learned."""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn

HOW, MISTAKE = sys.argv[1], "mistake" in sys.argv
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
if HOW == "replicated":
    model = nn.parallel.DistributedDataParallel(model)
else:
    from torch.distributed.fsdp import fully_shard

    fully_shard(model[0])
    fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
torch.manual_seed(rank)
losses = []
for _ in range(30):
    x = torch.randn(16, 4)
    y = x.sum(1) if MISTAKE else x.sum(1, keepdim=True)
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
model.eval()
with torch.no_grad():
    losses.append(model(torch.ones(2, 4)).sum().item())
whole = [p.full_tensor() if hasattr(p, "full_tensor") else p for p in model.parameters()]
with open(f"rank{rank}.txt", "w") as file:
    print(losses, [p.sum().item() for p in whole], torch.rand(1).item(), file=file)
dist.destroy_process_group()
