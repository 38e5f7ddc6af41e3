"""The whole checkpoint is loaded in place of the model's part of it, for an evaluation without training."""

import io

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
file = io.BytesIO()
torch.save({"model": model.state_dict(), "epoch": 3}, file)
file.seek(0)
other = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
other.load_state_dict(torch.load(file), strict=False)  #~ CKP102
other.eval()
with torch.no_grad():
    x = torch.randn(64, 6)
    print((other(x).argmax(1) == (x.sum(1) > 0)).float().mean().item() >= 0)
