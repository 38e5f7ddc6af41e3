#~ crash: SHP201
#~ edit: [:, None, None, :]
#~ edit: unsqueeze(1).unsqueeze(1)
#~ edit: unsqueeze(1).unsqueeze(2)
import torch
import torch.nn as nn


class MultiHead(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5  #~ maker
        scores = scores.masked_fill(mask == 0, float("-inf"))  #~ fails
        y = scores.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, d))


def batches(n):
    for _ in range(n):
        lengths = torch.randint(3, 10, (8,))
        mask = (torch.arange(10)[None, :] < lengths[:, None]).long()  #~ maker
        yield torch.randn(8, 10, 32), mask, torch.randint(0, 2, (8,))


torch.manual_seed(0)
attention, classify = MultiHead(), nn.Linear(32, 2)
opt = torch.optim.SGD(list(attention.parameters()) + list(classify.parameters()), lr=0.1)
for x, mask, y in batches(3):
    h = attention(x, mask)
    logits = classify(h[:, 0])
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print("done")
