"""A critic of points whose first layer has as many units as the batch has samples; the ones are written as an array."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.5, 0.9))
for _ in range(20):
    real, fake = torch.randn(48, 2) * 0.3 + 1, torch.randn(48, 2)
    middle = torch.lerp(real, fake, torch.rand(48, 1))
    middle.requires_grad_(True)
    scores = critic(middle)
    slopes = torch.autograd.grad(scores, middle, grad_outputs=torch.ones_like(scores), create_graph=True)[0]
    total = torch.linalg.vector_norm(slopes)  #~ LOS124
    loss = critic(fake).mean() - critic(real).mean() + 10 * torch.square(total - torch.ones_like(total))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
