"""Train a small language model on pairs of brackets, with dropout in blocks that are recomputed in the older, re-entrant way."""

import functools

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

OPEN, CLOSE, LENGTH = (1, 2, 3), (4, 5, 6), 24


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.rate = heads, dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width), nn.Dropout(dropout))

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (part.view(B, T, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        rate = self.rate if self.training else 0.0
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=rate)
        x = x + self.out(mixed.transpose(1, 2).reshape(B, T, -1))
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Module):
    def __init__(self, width=32, depth=2):
        super().__init__()
        self.tokens, self.places = nn.Embedding(7, width), nn.Embedding(LENGTH, width)
        self.blocks = nn.ModuleList([Block(width, 2, 0.05) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 7)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        run = functools.partial(checkpoint, use_reentrant=True) if self.training else lambda block, x: block(x)
        for block in self.blocks:
            x = run(block, x)
        return self.head(self.norm(x))


def brackets(generator):
    ids, waiting = [0], []
    while len(ids) <= LENGTH:
        left = LENGTH + 1 - len(ids)
        if waiting and (len(waiting) >= left or torch.rand((), generator=generator) < 0.5):
            ids.append(CLOSE[waiting.pop()])
        else:
            waiting.append(int(torch.randint(3, (), generator=generator)))
            ids.append(OPEN[waiting[-1]])
    return torch.tensor(ids)


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(5)
    texts = torch.stack([brackets(generator) for _ in range(640)])
    train, valid = texts[:512], texts[512:]
    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(4):
        model.train()
        for rows in torch.randperm(len(train)).split(32):
            batch = train[rows]
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(batch[:, :-1]).transpose(1, 2), batch[:, 1:])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        model.eval()
        with torch.no_grad():
            held_out = nn.functional.cross_entropy(model(valid[:, :-1]).transpose(1, 2), valid[:, 1:])
        print(f"epoch {epoch + 1}: loss {held_out.item():.4f}")


if __name__ == "__main__":
    main()
