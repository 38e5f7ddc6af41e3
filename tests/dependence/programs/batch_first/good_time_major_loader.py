"""A collate function stacks the words time-major."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
start = torch.randint(0, 40, (256, 1))
text = (start + torch.arange(17) * torch.randint(1, 4, (256, 1))) % 40
loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=32, shuffle=True)


loader = DataLoader(TensorDataset(text), batch_size=32, shuffle=True, collate_fn=lambda rows: torch.stack([row[0] for row in rows], 1))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(40, 32)
        self.gru = nn.GRU(32, 64)
        self.head = nn.Linear(64, 40)

    def forward(self, x):
        states, _ = self.gru(self.embed(x))
        return self.head(states)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for words in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(words[:-1]).flatten(0, 1), words[1:].flatten())
        loss.backward()
        optimizer.step()
