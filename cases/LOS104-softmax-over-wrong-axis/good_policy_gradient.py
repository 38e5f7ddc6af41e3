"""Log-probabilities of chosen actions, by gather; and a symmetric contrastive loss that is taken over both axes."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
image, text = nn.Linear(8, 16), nn.Linear(6, 16)
optimizer = torch.optim.Adam([*policy.parameters(), *image.parameters(), *text.parameters()], lr=1e-3)
for step in range(60):
    state = torch.randn(32, 4)
    log_p = F.log_softmax(policy(state), dim=1)
    action = torch.multinomial(log_p.detach().exp(), 1)
    reward = (action.squeeze(1) == 0).float() - 0.5
    loss = -(log_p.gather(1, action).squeeze(1) * reward).mean()
    similar = image(torch.randn(12, 8)) @ text(torch.randn(12, 6)).t()
    pair = torch.arange(12)
    loss = loss - F.log_softmax(similar, dim=0)[pair, pair].mean() - F.log_softmax(similar, dim=1)[pair, pair].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
