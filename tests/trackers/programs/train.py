"""A regression whose loss broadcasts: one finding. Prints what it has come to; the trackers of `LOGS` are used as scripts use them."""

import hashlib
import os
import sys
import time
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _step in range(int(os.environ.get("STEPS", "30"))):
    x, y = torch.randn(16, 8), torch.randn(16)
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    time.sleep(float(os.environ.get("PAUSE", "0")))
print(hashlib.sha256(model.weight.detach().numpy().tobytes()).hexdigest(), f"{loss.item():.6f}", file=sys.stdout)
if "RAISES" in os.environ:
    raise ValueError("on purpose")
