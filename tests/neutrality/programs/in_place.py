"""In-place activations and views next to hooks that must not disturb them."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Dropout(0.2), nn.Flatten(), nn.Linear(144, 2), nn.Hardtanh(-3, 3, inplace=True))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for _ in range(5):
    output = model(torch.randn(4, 1, 8, 8))
    output = output.clone()
    output[:, 0] += 1
    loss = output.chunk(2, dim=1)[0].mean() + output.view(-1)[::2].sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), output._version)
try:
    h = torch.relu(model[0](torch.randn(1, 1, 8, 8)))
    h += 1
    h.sum().backward()
except RuntimeError as error:
    print(str(error)[:70])
