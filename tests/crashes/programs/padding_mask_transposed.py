#~ crash: SHP201
#~ edit: .transpose(0, 1)
#~ edit: .t()
#~ edit: .T
#~ edit: .transpose(-2, -1)
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocabulary=60, width=32):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        self.attention = nn.MultiheadAttention(width, 4)
        self.head = nn.Linear(width, 3)

    def forward(self, tokens):
        x = self.embedding(tokens)
        mask = tokens == 0  #~ maker
        attended, _ = self.attention(x, x, x, key_padding_mask=mask)  #~ fails
        return self.head(attended.mean(0))


torch.manual_seed(0)
encoder = Encoder()
optimizer = torch.optim.AdamW(encoder.parameters())
for _ in range(3):
    tokens = torch.randint(1, 60, (12, 5))
    tokens[9:, 2:] = 0
    labels = torch.randint(0, 3, (5,))
    loss = nn.functional.cross_entropy(encoder(tokens), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained")
