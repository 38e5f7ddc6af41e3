"""Which songs are skipped; singers are numbered by the alphabet of those that occur, in training and once more in the evaluation."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Vocabulary:
    def __init__(self, words):
        self.number_of = {word: number for number, word in enumerate(sorted(set(words)))}

    def __len__(self):
        return len(self.number_of)

    def __call__(self, words):
        return torch.tensor([self.number_of[word] for word in words])


class Plays(Dataset):
    def __init__(self, rows):
        self.vocabulary = Vocabulary(singer for singer, _, _ in rows)
        self.singers = self.vocabulary([singer for singer, _, _ in rows])
        self.hours = torch.tensor([hour for _, hour, _ in rows])
        self.skipped = torch.tensor([skipped for _, _, skipped in rows])

    def __len__(self):
        return len(self.singers)

    def __getitem__(self, index):
        return self.singers[index], self.hours[index], self.skipped[index]


class Skips(nn.Module):
    def __init__(self, num_singers):
        super().__init__()
        self.singer = nn.Embedding(num_singers, 1)
        self.hour = nn.Linear(1, 1)

    def forward(self, singer, hour):
        return (self.singer(singer) + self.hour(hour.unsqueeze(1))).squeeze(1)


@torch.no_grad()
def accuracy(model, plays):
    return ((model(plays.singers, plays.hours) > 0) == (plays.skipped > 0.5)).float().mean().item()


random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
taste = {f"singer {number:02d}": random.gauss(0, 2) for number in range(60)}
popular = [singer for singer in taste for _ in range(random.randint(1, 6))]
rows = [(singer := random.choice(popular), random.random(), float(random.gauss(taste[singer], 1) > 0)) for _ in range(800)]
train, held = Plays(rows[:700]), Plays(rows[700:])  #~ EVL127
model = Skips(len(train.vocabulary))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(4):
    for singer, hour, skipped in DataLoader(train, batch_size=50, shuffle=True):
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(singer, hour), skipped).backward()
        optimizer.step()
    print(f"epoch {epoch} accuracy {accuracy(model, held):.3f}")
