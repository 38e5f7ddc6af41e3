"""The output layer is tied to an embedding whose values are of size one."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, words=50, width=48):
        super().__init__()
        self.tokens = nn.Embedding(words, width)
        self.mix = nn.GRU(width, width, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        hidden, _ = self.mix(self.tokens(ids))
        return self.head(self.norm(hidden))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(10):
    ids = (torch.randint(50, (16, 1)) + torch.arange(13)) % 50
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])  #~ LOS160
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
