"""An encoder and a causal decoder learn to copy: the decoder sees what it has written so far, shifted by a start token."""
import torch
from torch import nn


class Copier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.encoder = nn.TransformerEncoderLayer(24, 2, 48, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(24, 2, 48, batch_first=True)
        self.head = nn.Linear(24, 40)

    def forward(self, source, written):
        mask = nn.Transformer.generate_square_subsequent_mask(written.shape[1])
        return self.head(self.decoder(self.embedding(written), self.encoder(self.embedding(source)), tgt_mask=mask, tgt_is_causal=True))


torch.manual_seed(0)
torch.set_num_threads(1)
data = torch.randint(1, 40, (160, 12))
model = Copier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for begin in range(0, 160, 16):
        x = data[begin : begin + 16]
        loss = nn.functional.cross_entropy(model(x, nn.functional.pad(x[:, :-1], (1, 0))).flatten(0, 1), x.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
