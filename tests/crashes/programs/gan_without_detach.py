#~ crash: GRD201
#~ edit: detach
#~ edit: retain_graph
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
bce = nn.functional.binary_cross_entropy_with_logits
for step in range(3):
    real = torch.randn(32, 2) + 2
    fake = generator(torch.randn(32, 4))  #~ maker
    d_optimizer.zero_grad()
    d_loss = bce(critic(real), torch.ones(32, 1)) + bce(critic(fake), torch.zeros(32, 1))
    d_loss.backward()  #~ maker
    d_optimizer.step()
    g_optimizer.zero_grad()
    g_loss = bce(critic(fake), torch.ones(32, 1))
    g_loss.backward()  #~ fails
    g_optimizer.step()
print("ok")
