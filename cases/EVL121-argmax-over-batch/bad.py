"""A classifier on one-hot labels whose accuracy searches the batch instead of the classes."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(500, 10)
y = nn.functional.one_hot(x[:, :4].argmax(1), 4).float()
train = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)
held_out = DataLoader(TensorDataset(x[400:], y[400:]), batch_size=50)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for inputs, targets in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    accuracies = []
    with torch.no_grad():
        for inputs, targets in held_out:
            hits = model(inputs).argmax(0) == targets.argmax(0)  #~ EVL121
            accuracies.append(hits.float().mean().item())
    print(epoch, sum(accuracies) / len(accuracies))
