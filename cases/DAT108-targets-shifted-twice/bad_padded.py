"""The labels are rolled by one place, and the model's own loss, which pads what it shifts, does it again."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


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


class Windows(Dataset):
    def __init__(self, text, length):
        self.text, self.length = text, length

    def __len__(self):
        return (len(self.text) - 1) // self.length

    def __getitem__(self, i):
        begin = i * self.length
        ids = self.text[begin : begin + self.length]
        return ids, ids.roll(-1)


torch.manual_seed(0)
torch.set_num_threads(1)
text = torch.randint(0, 50, (2401,))
loader = DataLoader(Windows(text, 24), batch_size=10, shuffle=True)
model = Transformer()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in loader:
        logits = model(x)
        shifted = nn.functional.pad(y, (0, 1), value=-100)[:, 1:]
        loss = nn.functional.cross_entropy(logits.reshape(-1, 50), shifted.reshape(-1))  #~ DAT108
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
