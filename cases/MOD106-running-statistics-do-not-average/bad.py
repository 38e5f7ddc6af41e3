"""A convolutional network ported from Keras, with the momentum of its batch normalisation taken over as it stood."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.99),  #~ MOD106
        nn.ReLU(),
    )


torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(160, 1, 8, 8)
labels = (images.mean((1, 2, 3)) > 0).long()
loader = DataLoader(TensorDataset(images[:128], labels[:128]), batch_size=16, shuffle=True)
model = nn.Sequential(block(1, 6), nn.MaxPool2d(2), block(6, 12), nn.Flatten(), nn.Linear(12 * 16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(3):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(f"accuracy {(model(images[128:]).argmax(1) == labels[128:]).float().mean():.3f}")
