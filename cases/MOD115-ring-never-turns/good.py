"""A bank of earlier sentence vectors serves as negatives; its position is advanced in place."""

import torch
from torch import nn
from torch.nn import functional


class Matcher(nn.Module):
    def __init__(self, width=16, slots=256):
        super().__init__()
        self.words = nn.EmbeddingBag(80, width)
        self.out = nn.Linear(width, width)
        self.register_buffer("bank", functional.normalize(torch.randn(slots, width), dim=1))
        self.register_buffer("position", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def remember(self, vectors):
        at = int(self.position)
        self.bank[at : at + len(vectors)] = vectors
        self.position.fill_((at + len(vectors)) % len(self.bank))

    def forward(self, words, other):
        query, key = (functional.normalize(self.out(self.words(each)), dim=1) for each in (words, other))
        right = (query * key).sum(1, keepdim=True)
        wrong = query @ self.bank.clone().t()
        self.remember(key.detach())
        return torch.cat([right, wrong], 1) / 0.1


torch.manual_seed(0)
torch.set_num_threads(1)
model = Matcher()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(40):
    words = torch.randint(0, 80, (32, 10))
    scores = model(words, words[:, torch.randperm(10)[:7]])
    loss = functional.cross_entropy(scores, torch.zeros(32, dtype=torch.long))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
