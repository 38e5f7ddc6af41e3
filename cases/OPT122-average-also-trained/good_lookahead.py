"""Every few steps the weights go half of the way back to slow ones, which no optimizer holds; limits and decay by hand move weights too."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*model.parameters(), *critic.parameters()], lr=0.01)
slow = [weight.detach().clone() for weight in model.parameters()]
for step in range(60):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) + critic(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        if step % 2:
            for kept, weight in zip(slow, model.parameters()):
                kept.lerp_(weight, 0.5)
                weight.copy_(kept)
        for weight in critic.parameters():
            weight.mul_(0.999).clamp_(-0.2, 0.2)
print(f"loss {loss.item():.3f}")
