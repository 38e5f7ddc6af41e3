"""The padding mask is made and not given to the attention."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
tokens = torch.randint(1, 50, (256, 14))
lengths = torch.randint(4, 15, (256,))
tokens[torch.arange(14) >= lengths[:, None]] = 0
labels = (tokens.eq(7).sum(1) + tokens.eq(9).sum(1) > 0).long()
loader = DataLoader(TensorDataset(tokens, labels), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        x = self.embed(tokens)
        padding = tokens == 0
        x, _ = self.attention(x, x, x)  #~ guilty
        real = ~padding.unsqueeze(-1)
        return self.head((x * real).sum(1) / real.sum(1))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
