"""A discriminator's hits on its batch are logged after each step, the last one included, in the mode of training."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(16, 1))
g_opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
hits = []
for step in range(60):
    real, fake = torch.randn(32, 2) * 0.3 + 1, generator(torch.randn(32, 4))
    ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
    d_loss = F.binary_cross_entropy_with_logits(critic(real), ones) + F.binary_cross_entropy_with_logits(critic(fake.detach()), zeros)
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = F.binary_cross_entropy_with_logits(critic(fake), ones)
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    with torch.no_grad():
        hits.append((critic(real).sigmoid().round() == ones).float().mean().item())
print(f"real ones told {sum(hits[-20:]) / 20:.3f}")
