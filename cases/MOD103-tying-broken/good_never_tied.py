"""Embedding and output layer have the same shape but were never tied, and one of them is replaced."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Skipgram(nn.Module):
    def __init__(self, words=30, d=12):
        super().__init__()
        self.inner = nn.Embedding(words, d)
        self.outer = nn.Linear(d, words, bias=False)

    def forward(self, word):
        return self.outer(self.inner(word))


model = Skipgram()
model.inner = nn.Embedding.from_pretrained(torch.randn(30, 12) * 0.5, freeze=False)
opt = torch.optim.Adam(model.parameters(), lr=0.03)
for _ in range(60):
    word = torch.randint(0, 30, (64,))
    loss = nn.functional.cross_entropy(model(word), (word + 1) % 30)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
