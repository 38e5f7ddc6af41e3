"""Minus infinity masks padded and future positions before the softmax, and every row keeps an open position."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Causal(nn.Module):
    def __init__(self, v=12, d=16):
        super().__init__()
        self.tok, self.pos = nn.Embedding(v, d), nn.Embedding(8, d)
        self.q, self.k, self.v, self.out = (nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, v))
        self.register_buffer("mask", torch.full((8, 8), float("-inf")).triu(1))

    def forward(self, x):
        h = self.tok(x) + self.pos.weight
        score = self.q(h) @ self.k(h).transpose(1, 2) / 4 + self.mask
        return self.out(h + score.softmax(-1) @ self.v(h))


model = Causal()
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
for _ in range(50):
    start = torch.randint(0, 12, (32, 1))
    seq = (start + 2 * torch.arange(9)) % 12
    logits = model(seq[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
