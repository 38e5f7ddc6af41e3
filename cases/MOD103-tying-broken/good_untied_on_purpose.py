"""The tie is undone on purpose: the head starts as an explicit clone of the embedding and goes its own way."""
import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, size=18, d=12, tie=True):
        super().__init__()
        self.embed, self.head = nn.Embedding(size, d), nn.Linear(d, size, bias=False)
        if tie:
            self.head.weight = self.embed.weight

    def untie(self):
        self.head.weight = nn.Parameter(self.embed.weight.detach().clone())

    def forward(self, x):
        return self.head(self.embed(x))


torch.manual_seed(0)
torch.set_num_threads(1)
model = LM()
model.untie()
opt = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(60):
    x = torch.randint(0, 18, (40,))
    loss = nn.functional.cross_entropy(model(x), (x + 4) % 18)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
