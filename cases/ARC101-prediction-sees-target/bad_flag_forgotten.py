"""Scaled dot-product attention in a small GPT, called without is_causal, under bfloat16 autocast."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
V, T = 28, 18


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0.0)  #~ ARC101
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, 32), nn.Embedding(T, 32)
        self.blocks = nn.ModuleList(Block(32, 4) for _ in range(2))
        self.head = nn.Linear(32, V, bias=False)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(x)


stream = torch.randint(0, V, (3000,))
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(24):
    start = torch.randint(0, len(stream) - T - 1, (12,))
    x = torch.stack([stream[i : i + T] for i in start])
    y = torch.stack([stream[i + 1 : i + T + 1] for i in start])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
