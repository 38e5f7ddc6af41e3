"""What is given on the command line stands above the rates of the configuration: one constant rate for all groups."""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.02)
args = parser.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Linear(8, 16), nn.Linear(16, 1)
optimizer = torch.optim.SGD([{"params": body.parameters(), "lr": 0.001}, {"params": head.parameters(), "lr": 0.05}])
if args.lr:
    for group in optimizer.param_groups:
        group["lr"] = args.lr
for step in range(40):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(head(torch.relu(body(x))), x.sum(1, keepdim=True)).backward()
    optimizer.step()
