"""A generator is given a code, and a second network reads the code off what it made: both learn from that, as InfoGAN does."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
generator = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 8))
reader = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.Adam([*generator.parameters(), *reader.parameters()], lr=0.01)
for step in range(40):
    code = torch.randn(32, 1)
    noise = torch.randn(32, 5)
    made = generator(torch.cat([noise, code], 1))
    loss = nn.functional.mse_loss(reader(made), code)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
