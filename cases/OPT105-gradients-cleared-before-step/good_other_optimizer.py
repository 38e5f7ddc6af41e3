"""Actor and critic: the critic's gradients are cleared between the actor's backward and the actor's step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=3e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-2)
for _ in range(60):
    s = torch.randn(64, 3)
    a = actor(s)
    tried = (a + 0.5 * torch.randn_like(a)).detach()
    reward = -(tried - s.sum(1, keepdim=True).tanh()) ** 2
    actor_opt.zero_grad()
    (-critic(torch.cat([s, a], 1)).mean()).backward()
    critic_opt.zero_grad()
    actor_opt.step()
    critic_loss = nn.functional.mse_loss(critic(torch.cat([s, tried], 1)), reward)
    critic_loss.backward()
    critic_opt.step()
print(f"critic loss {critic_loss.item():.3f}, reward {reward.mean().item():.3f}")
