#~ crash: SHP201
#~ edit: view(B, T, self.n_head, -1)
#~ edit: view(B, T, self.n_head, 8)
#~ edit: view(4, 10, 8, 8)
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, n_embd=64, n_head=8, head_dim=16):
        super().__init__()
        self.n_head = n_head
        self.head_dim = head_dim
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)  #~ maker
        q = q.view(B, T, self.n_head, self.head_dim).transpose(1, 2)  #~ fails
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


torch.manual_seed(0)
attn = Attention()
opt = torch.optim.Adam(attn.parameters(), lr=1e-3)
for i in range(3):
    x = torch.randn(4, 10, 64)
    loss = F.mse_loss(attn(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, "ok")
