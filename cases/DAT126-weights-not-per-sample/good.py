"""Support tickets of four kinds are drawn by a weight for each ticket: that of its kind."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

WORDS = 40
KINDS = ["question", "complaint", "order", "fraud"]


class Tickets(Dataset):
    """Bags of words: each kind has words of its own, and shares the rest."""

    def __init__(self, count):
        draw = random.Random(3)
        self.kinds = draw.choices(range(4), weights=[60, 25, 12, 3], k=count)
        self.texts = [[draw.randrange(WORDS) if draw.random() < 0.6 else kind * 5 + draw.randrange(5) for _ in range(12)] for kind in self.kinds]

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, index):
        return torch.tensor(self.texts[index]), self.kinds[index]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    tickets = Tickets(400)
    frequency = [tickets.kinds.count(kind) for kind in range(len(KINDS))]
    balance = [len(tickets) / number for number in frequency]
    balanced = WeightedRandomSampler([balance[kind] for kind in tickets.kinds], len(tickets))
    loader = DataLoader(tickets, batch_size=40, sampler=balanced)
    model = nn.Sequential(nn.EmbeddingBag(WORDS, 16), nn.ReLU(), nn.Linear(16, len(KINDS)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        for text, kind in loader:
            loss = nn.functional.cross_entropy(model(text), kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
