"""Cross-entropy is given one-hot labels first, and probabilities as targets."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(256, 8)
labels = x[:, :3].argmax(1)
y = F.one_hot(labels, 3).float()
for step in range(30):
    chosen = torch.randint(256, (32,))
    output = model(x[chosen])
    loss = F.cross_entropy(y[chosen], output.softmax(1))  #~ LOS120
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
