"""The encoder is masked, but the mean is over all places."""

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
        self.embed = nn.Embedding(50, width, padding_idx=0)
        layer = nn.TransformerEncoderLayer(width, 2, 64, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        x = self.embed(tokens)
        padding = tokens.eq(0)
        x = self.encoder(x, src_key_padding_mask=padding)
        return self.head(x.mean(1))  #~ guilty


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
