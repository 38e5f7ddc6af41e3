"""Self-attention regression in which position biases [T, T] and padding masks [N, 1, 1, T] are broadcast on purpose."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Attention(nn.Module):
    def __init__(self, d=16, heads=2, length=8):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(d, 3 * d), nn.Linear(d, 1)
        self.position = nn.Parameter(torch.zeros(length, length))

    def forward(self, x, keep):
        n, t, d = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        score = q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5 + self.position
        score = score.masked_fill(~keep[:, None, None, :], float("-inf"))
        mixed = (score.softmax(-1) @ v).transpose(1, 2).reshape(n, t, d)
        return (self.out(mixed).squeeze(-1) * keep).sum(1) / keep.sum(1)


model = Attention()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(40):
    x = torch.randn(8, 8, 16)
    keep = torch.arange(8) < torch.randint(3, 9, (8, 1))
    y = (x[..., 0] * keep).sum(1) / keep.sum(1)
    loss = (model(x, keep) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.4f}")
