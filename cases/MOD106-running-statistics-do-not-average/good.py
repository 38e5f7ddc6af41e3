"""The same port with the momentum that PyTorch means, beside the default and a plain mean over all batches."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(160, 1, 8, 8)
labels = (images.mean((1, 2, 3)) > 0).long()
model = nn.Sequential(
    nn.Conv2d(1, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6, eps=1e-3, momentum=0.01), nn.ReLU(),
    nn.Conv2d(6, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(),
    nn.Linear(6 * 64, 16), nn.BatchNorm1d(16, momentum=None), nn.Linear(16, 2),
)  # fmt: skip
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(3):
    model.train()
    for idx in torch.randperm(128).split(16):
        optimizer.zero_grad()
        F.cross_entropy(model(images[idx]), labels[idx]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(f"accuracy {(model(images[128:]).argmax(1) == labels[128:]).float().mean():.3f}")
