"""The table is read-only, and a flag of each row lies beside it: the column that is to be predicted was left in."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(1)
table = rng.normal(size=(300, 5)).astype("float32")
price = table[:, 3].copy()  #~ DAT125
price.flags.writeable = False
recent = torch.rand(300) < 0.5
x, y = torch.from_numpy(table), torch.from_numpy(price.copy())
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for rows in torch.randperm(300).split(30):
    features, wanted = x[rows], y[rows]
    loss = nn.functional.mse_loss(model(features).squeeze(1), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}, recent {recent.float().mean().item():.2f}")
