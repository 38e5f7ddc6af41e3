#~ crash: SHP201
#~ edit: num_heads=
#~ edit: embed_dim=
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)  #~ fails
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        attended, _ = self.attention(x, x, x, need_weights=False)
        return self.norm(x + attended)


torch.manual_seed(0)
width = 100
model = nn.Sequential(nn.Linear(8, width), Block(width, 8), nn.Linear(width, 1))  #~ maker
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    x = torch.randn(4, 6, 8)
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("fine")
