"""Padding has the id of the end token and is masked by its id."""
import torch
from torch import nn
from torch.utils.data import DataLoader

EOS = 1
PAD = EOS


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


def collate(texts):
    longest = max(map(len, texts))
    ids = torch.full((len(texts), longest), PAD)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)
    labels = ids.clone()
    labels[ids == PAD] = -100  #~ DAT109
    return ids, labels


torch.manual_seed(0)
torch.set_num_threads(1)
texts = [torch.randint(2, 50, (length,)).tolist() + [EOS] for length in torch.randint(6, 22, (160,)).tolist()]
loader = DataLoader(texts, batch_size=16, shuffle=True, collate_fn=collate)
model = Transformer()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(2):
    for ids, labels in loader:
        logits = model(ids)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
