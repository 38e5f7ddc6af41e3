#~ crash: SHP201
#~ edit: pad_sequence
import random

import torch
from torch import nn
from torch.utils.data import DataLoader


class Sentences(torch.utils.data.Dataset):
    def __init__(self, n=40):
        rng = random.Random(0)
        self.rows = [torch.tensor([rng.randrange(1, 50) for _ in range(rng.randrange(4, 9))]) for _ in range(n)]
        self.labels = [rng.randrange(2) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index], self.labels[index]


def collate(batch):
    sequences = [row for row, _ in batch]  #~ maker
    labels = torch.tensor([label for _, label in batch])
    return torch.stack(sequences), labels  #~ fails


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(50, 16, padding_idx=0)
        self.linear = nn.Linear(16, 2)

    def forward(self, ids):
        return self.linear(self.table(ids).mean(1))


torch.manual_seed(0)
bag = Bag()
adam = torch.optim.Adam(bag.parameters())
for ids, labels in DataLoader(Sentences(), batch_size=8, collate_fn=collate):
    adam.zero_grad()
    nn.functional.cross_entropy(bag(ids), labels).backward()
    adam.step()
print("one epoch")
