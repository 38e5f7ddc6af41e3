#~ crash: SHP201
#~ edit: [:12, :12]
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocabulary=50, width=32, context=16):
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(width, vocabulary)
        mask = torch.triu(torch.ones(context, context, dtype=torch.bool), 1)
        self.register_buffer("mask", mask)  #~ maker

    def forward(self, ids):
        x = self.blocks(self.token(ids), mask=self.mask)  #~ fails
        return self.head(x)


torch.manual_seed(0)
decoder = Decoder()
optimizer = torch.optim.AdamW(decoder.parameters(), lr=1e-3)
for _ in range(2):
    ids = torch.randint(0, 50, (4, 13))
    logits = decoder(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 50), ids[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("done")
