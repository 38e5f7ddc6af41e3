"""A sequence autoencoder has to give back what it was given, through a narrow code."""
import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.encoder = nn.LSTM(24, 32, batch_first=True)
        self.decoder = nn.LSTM(32, 32, batch_first=True)
        self.head = nn.Linear(32, 40)

    def forward(self, x):
        code = self.encoder(self.embedding(x))[1][0][-1]
        return self.head(self.decoder(code[:, None].repeat(1, x.shape[1], 1))[0])


torch.manual_seed(0)
torch.set_num_threads(1)
data = torch.randint(0, 40, (160, 12))
model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for begin in range(0, 160, 16):
        x = data[begin : begin + 16]
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), x.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
