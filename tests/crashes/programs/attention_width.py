#~ crash: SHP201
#~ edit: embed_dim=48
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(64, heads, batch_first=True)  #~ maker
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        h = self.norm(x)  #~ maker
        a, _ = self.attn(h, h, h, need_weights=False)  #~ fails
        x = x + a
        return x + self.mlp(x)


class Patches(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 4, stride=4)
        self.block = Block(width, 4)
        self.head = nn.Linear(width, 10)

    def forward(self, img):
        tokens = self.patch(img).flatten(2).transpose(1, 2)
        return self.head(self.block(tokens).mean(1))


torch.manual_seed(0)
vit = Patches()
opt = torch.optim.AdamW(vit.parameters(), lr=1e-3)
for step in range(2):
    loss = nn.functional.cross_entropy(vit(torch.randn(8, 3, 16, 16)), torch.randint(0, 10, (8,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
print("ok")
