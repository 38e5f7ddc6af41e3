"""A prior bias meant for the output layer of a detector is given to all convolutions, and the ReLUs die."""
import torch
from torch import nn


def set_prior(m):
    if isinstance(m, nn.Conv2d):
        nn.init.xavier_uniform_(m.weight)
        nn.init.constant_(m.bias, -10)  #~ GRD103


torch.manual_seed(0)
torch.set_num_threads(1)
body = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())  
head = nn.Conv2d(8, 1, 1)
body.apply(set_prior)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for step in range(50):
    image = torch.randn(8, 1, 8, 8)
    peak = (image > 1).float()
    loss = nn.functional.binary_cross_entropy_with_logits(head(body(image)), peak)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
