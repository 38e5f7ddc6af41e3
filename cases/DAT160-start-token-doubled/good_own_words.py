"""Texts that begin with two equal signs, which are words of the language and stand elsewhere too."""

import torch
from torch import nn
from torch.utils.data import DataLoader

QUOTE = 1


class Model(nn.Module):
    def __init__(self, vocabulary=40, width=32):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(32, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.head(x + nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))


torch.manual_seed(0)
torch.set_num_threads(1)
texts = torch.randint(3, 40, (128, 14))
texts[::3, 7:9] = QUOTE
loader = DataLoader([torch.cat([torch.tensor([QUOTE, QUOTE]), text]) for text in texts], batch_size=16, shuffle=True)
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for ids in loader:
    optimizer.zero_grad()
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
