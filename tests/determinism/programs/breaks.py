"""Breaks its loss at a step that is drawn; prints the step and a digest of what it has learned before it.

Arguments: the seed, a token, or `none`.
"""

import hashlib
import random
import sys

import tensan

given = sys.argv[1] if len(sys.argv) > 1 else "none"
tensan.deterministic(None if given == "none" else int(given) if given.isdecimal() else given)

import numpy as np  # noqa: E402 - libraries are seeded as they come
import torch  # noqa: E402
from torch import nn  # noqa: E402

bad = random.randrange(20, 60)
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = torch.utils.data.TensorDataset(torch.randn(32 * 62, 8))
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
for step, (x,) in enumerate(loader):
    out = model(x + 0.1 * torch.from_numpy(np.random.randn(*x.shape)).float())
    if step == bad:
        digest = hashlib.sha256(b"".join(part.detach().numpy().tobytes() for part in model.parameters())).hexdigest()
        print(bad, digest)
        out = torch.log(out - out)
    loss = (out - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
