"""Images in [-1, 1] after tanh and in [0, 1] after a sigmoid, and actions scaled after tanh."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(36, 8), nn.ReLU())
to_image, to_mask, to_action = nn.Linear(8, 36), nn.Linear(8, 36), nn.Linear(8, 36)
parameters = [p for module in (encoder, to_image, to_mask, to_action) for p in module.parameters()]
opt = torch.optim.Adam(parameters, lr=0.01)
for step in range(40):
    image = torch.rand(24, 36) * 2 - 1
    code = encoder(image)
    loss = F.mse_loss(torch.tanh(to_image(code)), image)
    loss = loss + F.mse_loss(torch.sigmoid(to_mask(code)), (image + 1) / 2)
    loss = loss + F.smooth_l1_loss(4.0 * torch.tanh(to_action(code)), 3 * image)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
