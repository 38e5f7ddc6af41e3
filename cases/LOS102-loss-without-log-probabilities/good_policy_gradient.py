"""REINFORCE by nll_loss: log-probabilities times advantages are no log-probabilities, and are meant."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
opt = torch.optim.Adam(policy.parameters(), lr=0.02)
for episode in range(40):
    state = torch.randn(24, 4)
    log_p = F.log_softmax(policy(state), dim=-1)
    action = torch.multinomial(log_p.detach().exp(), 1).squeeze(1)
    reward = (action == state[:, :3].argmax(1)).float()
    advantage = reward - reward.mean()
    loss = F.nll_loss(log_p * advantage.unsqueeze(1), action)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"reward {reward.mean().item():.2f}")
