"""A masked language model is asked for all tokens, a few of which it does not see; nothing is hidden from anything."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.layer = nn.TransformerEncoderLayer(24, 2, 48, batch_first=True)
        self.head = nn.Linear(24, 40)

    def forward(self, x):
        return self.head(self.layer(self.embedding(x)))


torch.manual_seed(0)
torch.set_num_threads(1)
data = torch.randint(1, 40, (160, 12))
model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for begin in range(0, 160, 16):
        x = data[begin : begin + 16]
        hidden = torch.rand(x.shape) < 0.15
        loss = nn.functional.cross_entropy(model(x.masked_fill(hidden, 0)).flatten(0, 1), x.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
