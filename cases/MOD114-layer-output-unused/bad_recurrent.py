"""A reader runs a GRU over each direction of a text and reads out the first one twice."""

import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        self.onward = nn.GRU(width, width, batch_first=True)
        self.back = nn.GRU(width, width, batch_first=True)
        self.heads = nn.ModuleDict({"topic": nn.Linear(2 * width, 5)})

    def encode(self, tokens):
        embedded = self.embed(tokens)
        left, left_end = self.onward(embedded)
        right, right_end = self.back(embedded.flip(1))  #~ MOD114
        return torch.cat([left_end[-1], left.mean(1)], 1)

    def forward(self, tokens):
        return self.heads["topic"](self.encode(tokens))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Reader()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(30):
    tokens = torch.randint(0, 50, (32, 9))
    loss = nn.functional.cross_entropy(model(tokens), tokens[:, -1] % 5)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(f"loss {loss.item():.3f}")
