"""An encoder that makes a padding mask, uses it to pool, and does not give it to the transformer."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
examples = [torch.randint(1, 40, (int(n),)) for n in torch.randint(4, 15, (256,))]
examples = [(tokens, float((tokens < 8).any())) for tokens in examples]


def collate(batch):
    return pad_sequence([tokens for tokens, _ in batch], batch_first=True), torch.tensor([label for _, label in batch])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 32, padding_idx=0)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.head = nn.Linear(32, 1)

    def forward(self, tokens):
        padding = tokens.eq(0)
        h = self.layer(self.embedding(tokens))  #~ ARC102
        keep = (~padding).unsqueeze(-1).float()
        return self.head((h * keep).sum(1) / keep.sum(1)).squeeze(-1)


model = Encoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(3):
    for tokens, labels in DataLoader(examples, batch_size=32, shuffle=True, collate_fn=collate):
        loss = nn.functional.binary_cross_entropy_with_logits(model(tokens), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
