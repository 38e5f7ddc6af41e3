"""Pretrained vectors replace the embedding of a tied model, whose output layer keeps the old matrix."""
import torch
from torch import nn
import torch.nn.functional as F


class Cbow(nn.Module):
    def __init__(self, words=40, d=16):
        super().__init__()
        self.embed = nn.Embedding(words, d)
        self.project = nn.Linear(d, words)
        self.project.weight = self.embed.weight

    def forward(self, context):
        return self.project(self.embed(context).mean(1))


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = Cbow()
    vectors = torch.randn(40, 16) * 0.3
    model.embed = nn.Embedding.from_pretrained(vectors, freeze=False)  #~ MOD103
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    for step in range(70):
        word = torch.randint(0, 40, (48, 1))
        context = (word + torch.tensor([-2, -1, 1, 2])) % 40
        loss = F.cross_entropy(model(context), word.squeeze(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    gap = (model.embed.weight - model.project.weight).abs().mean().item()
    print(f"loss {loss.item():.3f}, mean gap between the two matrices {gap:.3f}")


main()
