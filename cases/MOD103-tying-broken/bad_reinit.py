"""An initialisation that assigns new Parameters instead of filling them gives each tied layer a matrix of its own."""
import torch
from torch import nn


def initialise(module):
    if isinstance(module, (nn.Linear, nn.Embedding)):
        module.weight = nn.Parameter(torch.randn_like(module.weight) * 0.2)  #~ MOD103


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(20, 16), nn.Embedding(6, 16)
        self.mix = nn.Linear(16, 16)
        self.head = nn.Linear(16, 20, bias=False)
        self.head.weight = self.tokens.weight
        self.apply(initialise)

    def forward(self, x):
        h = self.tokens(x) + self.places.weight
        return self.head(torch.tanh(self.mix(h)) + h)


torch.manual_seed(0)
torch.set_num_threads(1)
net = Tiny()
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
for _ in range(60):
    seq = (torch.randint(0, 20, (32, 1)) + torch.arange(7) * 2) % 20
    loss = nn.functional.cross_entropy(net(seq[:, :-1]).transpose(1, 2), seq[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}, tied {net.head.weight is net.tokens.weight}")
