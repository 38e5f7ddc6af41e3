"""Two heads are asked for the next token and for the one after it."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (part.view(B, T, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        h = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(h.transpose(1, 2).reshape(B, T, C))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, vocabulary=50, width=32, length=24):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(Block(width, 2), Block(width, 2))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, x):
        return self.head(self.blocks(self.tokens(x) + self.places(torch.arange(x.shape[1]))))


torch.manual_seed(0)
torch.set_num_threads(1)
data = torch.randint(0, 50, (160, 24))
model, second = Transformer(), nn.Linear(50, 50)
optimizer = torch.optim.AdamW([*model.parameters(), *second.parameters()], lr=1e-3)
for epoch in range(2):
    for begin in range(0, 160, 16):
        x = data[begin : begin + 16]
        logits = model(x)
        loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), x[:, 1:].flatten())
        loss = loss + 0.5 * nn.functional.cross_entropy(second(logits)[:, :-2].flatten(0, 1), x[:, 2:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
