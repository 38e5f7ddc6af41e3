"""A causal mask on a copy of the scores, in a language model that is trained on windows of a stream."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
V, T = 30, 16
stream = torch.randint(0, V, (3000,))


class Head(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(V, width)
        self.key, self.query, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.out = nn.Linear(width, V)
        self.register_buffer("tril", torch.tril(torch.ones(T, T)))

    def forward(self, x):
        h = self.embedding(x)
        weights = self.query(h) @ self.key(h).transpose(-2, -1) * h.shape[-1] ** -0.5
        masked = weights.masked_fill(self.tril == 0, float("-inf"))  #~ ARC103
        weights = F.softmax(weights, dim=-1)
        return self.out(weights @ self.value(h))


model = Head()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(30):
    starts = torch.randint(0, len(stream) - T - 1, (16,))
    x = torch.stack([stream[i : i + T] for i in starts])
    y = torch.stack([stream[i + 1 : i + T + 1] for i in starts])
    loss = F.cross_entropy(model(x).view(-1, V), y.view(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
