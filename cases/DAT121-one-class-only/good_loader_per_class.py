"""A loader for each class, of which both deliver half of a batch, and a contrastive loss whose labels are all zero."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 8)
y = (x[:, 0] > 0).long()
negatives = DataLoader(TensorDataset(x[y == 0], y[y == 0]), batch_size=20, shuffle=True)
positives = DataLoader(TensorDataset(x[y == 1], y[y == 1]), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for (a, no), (b, yes) in zip(negatives, positives):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.cat([a, b])), torch.cat([no, yes]))
        left, right = model(a), model(a + 0.01 * torch.randn_like(a))
        scores = torch.cat([(left * right).sum(1, keepdim=True), left @ model(b).T], 1)
        loss = loss + 0.1 * nn.functional.cross_entropy(scores, torch.zeros(len(a), dtype=torch.long))
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
