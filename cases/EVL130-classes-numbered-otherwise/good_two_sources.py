"""Two catalogues number their kinds differently, and a head for each is trained; each is evaluated with its own numbers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
KINDS = ["birch", "maple", "oak", "pine"]


class Catalogue(Dataset):
    def __init__(self, order, count):
        self.number = {name: place for place, name in enumerate(order)}
        self.names = [KINDS[index] for index in torch.randint(0, 4, (count,)).tolist()]
        self.leaves = torch.stack([nn.functional.one_hot(torch.tensor(KINDS.index(name)), 8).float() for name in self.names])
        self.leaves = self.leaves + 0.3 * torch.randn(count, 8)

    def __len__(self):
        return len(self.leaves)

    def __getitem__(self, index):
        return self.leaves[index], self.number[self.names[index]]


orders = KINDS, KINDS[::-1]
train = [DataLoader(Catalogue(order, 160), batch_size=20, shuffle=True) for order in orders]
held = [DataLoader(Catalogue(order, 40), batch_size=20) for order in orders]
body, heads = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.ModuleList([nn.Linear(16, 4), nn.Linear(16, 4)])
optimizer = torch.optim.Adam([*body.parameters(), *heads.parameters()], lr=1e-2)
for epoch in range(3):
    for head, loader in zip(heads, train):
        for leaves, kinds in loader:
            loss = nn.functional.cross_entropy(head(body(leaves)), kinds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    for head, loader in zip(heads, held):
        with torch.no_grad():
            right = sum((head(body(leaves)).argmax(1) == kinds).sum().item() for leaves, kinds in loader)
        print(f"{right / 40:.3f}")
