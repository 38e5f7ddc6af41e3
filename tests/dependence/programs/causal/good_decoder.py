"""nn.TransformerDecoder with tgt_mask; the memory is open."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
sources = torch.randint(3, 40, (256, 10))
outputs = torch.cat([torch.ones(256, 1, dtype=torch.long), sources.flip(1)], 1)
loader = DataLoader(TensorDataset(sources, outputs[:, :-1], outputs[:, 1:]), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(40, width)
        self.place = nn.Parameter(torch.randn(10, width))
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(width, 2, 64, batch_first=True), 1)
        self.head = nn.Linear(width, 40)

    def forward(self, x, given):
        memory = self.embed(x) + self.place
        mask = nn.Transformer.generate_square_subsequent_mask(given.size(1))
        return self.head(self.decoder(self.embed(given) + self.place, memory, tgt_mask=mask))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, given, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x, given).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
