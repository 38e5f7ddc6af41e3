#~ crash: SHP201
#~ edit: [:, :20]
#~ edit: [:, :x.size(1)]
import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div)
        pe[0, :, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe)  #~ maker

    def forward(self, x):
        return x + self.pe  #~ fails


class LM(nn.Module):
    def __init__(self, vocab=100, d=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.pos = PositionalEncoding(d)
        self.enc = nn.TransformerEncoderLayer(d, 4, 64, batch_first=True)
        self.out = nn.Linear(d, vocab)

    def forward(self, ids):
        x = self.emb(ids) * math.sqrt(32)  #~ maker
        return self.out(self.enc(self.pos(x)))


torch.manual_seed(0)
lm = LM()
opt = torch.optim.Adam(lm.parameters(), 1e-3)
for step in range(3):
    batch = torch.randint(0, 100, (8, 21))
    logits = lm(batch[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 100), batch[:, 1:].reshape(-1))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
print("done")
