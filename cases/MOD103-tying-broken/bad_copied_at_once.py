"""The constructor ties the head to the embedding, and two lines later makes the head a parameter of its own again."""
import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, size=18, d=12):
        super().__init__()
        self.embed, self.head = nn.Embedding(size, d), nn.Linear(d, size, bias=False)
        self.head.weight = self.embed.weight
        nn.init.normal_(self.embed.weight, std=0.3)
        self.head.weight = nn.Parameter(self.head.weight.detach().clone())  #~ MOD103

    def forward(self, x):
        return self.head(self.embed(x))


torch.manual_seed(0)
torch.set_num_threads(1)
model = LM()
opt = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(60):
    x = torch.randint(0, 18, (40,))
    loss = nn.functional.cross_entropy(model(x), (x + 4) % 18)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
