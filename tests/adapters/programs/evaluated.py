"""Evaluates in train mode, breaks a tie, and draws from generators in a worker: what the first program leaves out."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Dice(Dataset):
    def __init__(self):
        self.dice, self.own = random.Random(3), torch.Generator().manual_seed(4)

    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.full((6,), self.dice.random()) + torch.rand(6, generator=self.own), index % 3


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 6)
        self.out = nn.Linear(6, 12, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, tokens):
        return self.out(self.embed(tokens))


if __name__ == "__main__":
    classifier = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Dropout(0.3), nn.Linear(12, 3))
    third = torch.optim.Adam(classifier.parameters(), lr=0.01)
    held_out = DataLoader([(torch.randn(6), n % 3) for n in range(40)], batch_size=8)
    for epoch in range(3):
        classifier.train()
        for x, y in DataLoader(Dice(), batch_size=4, num_workers=0 if epoch else 1):
            third.zero_grad()
            loss = nn.functional.cross_entropy(classifier(x), y)
            loss.backward()
            third.step()
        classifier.train(epoch > 0)
        with torch.no_grad():
            right = sum((classifier(x).argmax(1) == y).sum().item() for x, y in held_out)
        print(loss.item(), right)
    tied = Tied()
    fourth = torch.optim.SGD(tied.parameters(), lr=0.1)
    for number in range(4):
        tokens = torch.randint(0, 12, (8,))
        if number == 2:
            tied.out.weight = nn.Parameter(torch.randn_like(tied.out.weight))
        fourth.zero_grad()
        nn.functional.cross_entropy(tied(tokens), tokens.roll(1)).backward()
        fourth.step()
    print(sum(p.sum().item() for p in tied.parameters()))
