"""The vocabulary grows, and the output layer is tied to the new embedding before the optimizer is built."""
import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, size, d=16):
        super().__init__()
        self.embed, self.body = nn.Embedding(size, d), nn.Linear(d, d)
        self.head = nn.Linear(d, size, bias=False)
        self.tie()

    def tie(self):
        self.head.weight = self.embed.weight

    def resize(self, size):
        old = self.embed.weight.detach()
        self.embed = nn.Embedding(size, old.shape[1])
        with torch.no_grad():
            self.embed.weight[: len(old)] = old
        self.head = nn.Linear(old.shape[1], size, bias=False)
        self.tie()

    def forward(self, x):
        return self.head(torch.tanh(self.body(self.embed(x))))


torch.manual_seed(0)
torch.set_num_threads(1)
model = LM(20)
model.resize(24)
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
for _ in range(60):
    x = torch.randint(0, 24, (48,))
    loss = nn.functional.cross_entropy(model(x), (x * 5) % 24)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}, tied {model.head.weight is model.embed.weight}")
