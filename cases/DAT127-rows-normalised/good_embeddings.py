"""Embeddings of length one, of a frozen encoder, are told apart by a linear layer."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(300, 12)
y = (x[:, 0] > 0).long()
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 24))
with torch.no_grad():
    embeddings = F.normalize(encoder(x), dim=1)
head = nn.Linear(24, 2)
optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
for step in range(30):
    rows = torch.randint(0, 300, (50,))
    loss = F.cross_entropy(head(embeddings[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
