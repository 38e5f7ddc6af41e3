"""Sparse inputs leave most columns of the first layer without gradient in any one step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
words = 300
net = nn.Sequential(nn.Linear(words, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(60):
    topic = torch.randint(0, 2, (24,))
    token = torch.randint(0, words // 2, (24, 8)) * 2 + topic[:, None]
    bag = torch.zeros(24, words).scatter_(1, token, 1.0)
    loss = nn.functional.cross_entropy(net(bag), topic)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
