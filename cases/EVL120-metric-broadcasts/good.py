"""Metrics on shapes that agree, a sweep of thresholds, and hits among the first five."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(600, 10)
y = x[:, :8].argmax(1)
train = DataLoader(TensorDataset(x[:500], y[:500]), batch_size=50, shuffle=True)
held_out = DataLoader(TensorDataset(x[500:], y[500:]), batch_size=25)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
thresholds = torch.linspace(0, 1, 25)
for epoch in range(4):
    model.train()
    for inputs, labels in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    model.eval()
    hits, within, sure, total = 0, 0, torch.zeros(25), 0
    with torch.no_grad():
        for inputs, labels in held_out:
            scores = model(inputs)
            best = scores.argmax(1, keepdim=True)
            hits += best.eq(labels.view_as(best)).sum().item()
            within += (scores.topk(5, 1).indices == labels.unsqueeze(1)).any(1).sum().item()
            sure += (scores.softmax(1).amax(1, keepdim=True) > thresholds).sum(0)
            by_class = (best == torch.arange(8)).sum(0)
            total += len(labels)
    print(epoch, hits / total, within / total, sure[0].item(), by_class.sum().item())
