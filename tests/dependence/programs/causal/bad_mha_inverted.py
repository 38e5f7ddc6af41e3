"""True means shut for nn.MultiheadAttention; the mask is True where it is to be open."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
start = torch.randint(0, 40, (256, 1))
text = (start + torch.arange(17) * torch.randint(1, 4, (256, 1))) % 40
loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(40, width)
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.head = nn.Linear(width, 40)

    def forward(self, x):
        x = self.embed(x)
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril(-1)  #~ guilty
        mixed, _ = self.attention(x, x, x, attn_mask=mask)  #~ guilty
        return self.head(x + mixed)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
