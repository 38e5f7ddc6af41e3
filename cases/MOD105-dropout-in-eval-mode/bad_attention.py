"""A constant dropout_p in scaled_dot_product_attention, evaluated in a function under @torch.no_grad."""
import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.qkv, self.out, self.dropout = nn.Linear(width, 3 * width), nn.Linear(width, width), dropout

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout)  #~ MOD105
        return x + self.out(y)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.block, self.head = nn.Embedding(16, 12), Block(12, 0.2), nn.Linear(12, 4)

    def forward(self, tokens):
        return self.head(self.block(self.embed(tokens)).mean(1))


@torch.no_grad()
def evaluate(model, tokens, labels):
    model.eval()
    loss = F.cross_entropy(model(tokens), labels)
    model.train()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
model = Model()
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
tokens = torch.randint(0, 16, (200, 6))
labels = tokens[:, 0] % 4
for step in range(40):
    idx = torch.randint(0, 160, (32,))
    loss = F.cross_entropy(model(tokens[idx]), labels[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 19:
        print(f"step {step} validation {evaluate(model, tokens[160:], labels[160:]):.3f}")
