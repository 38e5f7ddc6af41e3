"""A softmax at the end of the model, and nll_loss in the loop: the logarithm is missing."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 36, 3), nn.Softmax(dim=1))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
images = torch.randn(240, 1, 8, 8)
labels = images.mean((1, 2, 3)).mul(12).add(1.5).long().clamp(0, 2)
for step in range(40):
    idx = torch.randint(0, 240, (40,))
    probabilities = model(images[idx])
    loss = F.nll_loss(probabilities, labels[idx])  #~ LOS102
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
