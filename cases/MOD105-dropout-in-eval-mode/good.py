"""Dropout that follows the mode, in its three forms."""
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.qkv, self.head = nn.Embedding(16, 12), nn.Linear(12, 36), nn.Linear(12, 4)
        self.drop = nn.Dropout(0.2)

    def forward(self, tokens):
        x = F.dropout(self.embed(tokens), 0.1, self.training)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0.0)
        return self.head(self.drop(y).mean(1))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Net()
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
tokens = torch.randint(0, 16, (200, 6))
labels = tokens[:, 0] % 4
for epoch in range(4):
    model.train()
    for idx in torch.randperm(160).split(32):
        opt.zero_grad()
        F.cross_entropy(model(tokens[idx]), labels[idx]).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        print(f"validation {F.cross_entropy(model(tokens[160:]), labels[160:]).item():.3f}")
