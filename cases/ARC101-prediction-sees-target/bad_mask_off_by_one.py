"""A causal mask that forbids only what is two or more positions ahead; loss and shift inside the model."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
V = 32


class GPT(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.tokens, self.positions = nn.Embedding(V, width), nn.Embedding(24, width)
        self.qkv, self.mix = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, V)

    def attend(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5
        future = torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=2)  #~ ARC101
        scores = scores.masked_fill(future, float("-inf"))
        return self.mix((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))

    def forward(self, ids, labels=None):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        x = x + self.attend(self.norm(x))
        logits = self.head(x)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits[:, :-1].reshape(-1, V), labels[:, 1:].reshape(-1), ignore_index=-100)
        return logits, loss


data = torch.randint(0, V, (200, 20))
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(30):
    ids = data[torch.randint(0, 200, (16,))]
    labels = ids.clone()
    labels[:, :2] = -100
    _, loss = model(ids, labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
