"""A router of documents is to use all readers alike, and the penalty for that is made of how often each was chosen."""

import torch
from torch import nn
from torch.nn import functional

READERS = 3


class Routed(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(60, 20)
        self.router = nn.Linear(20, READERS)
        self.readers = nn.ModuleList(nn.Linear(20, 4) for _ in range(READERS))

    def forward(self, words):
        h = self.words(words)
        weight, chosen = self.router(h).softmax(1).topk(1)
        read = torch.stack([reader(h) for reader in self.readers], 1)
        return weight * read[torch.arange(len(h)), chosen[:, 0]], chosen[:, 0]


def uneven(chosen):
    share = functional.one_hot(chosen, READERS).float().mean(0)
    return (share - 1 / READERS).square().sum()  #~ LOS108


torch.manual_seed(0)
torch.set_num_threads(1)
model = Routed()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    words = torch.randint(0, 60, (32, 12))
    answer, chosen = model(words)
    loss = functional.cross_entropy(answer, words[:, 0] % 4)
    loss = loss + 0.5 * uneven(chosen)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
