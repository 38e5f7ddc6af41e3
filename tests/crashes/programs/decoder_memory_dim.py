#~ crash: SHP201
#~ edit: embedding_dim=128
import torch
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.source = nn.Embedding(100, 64)  #~ maker
        self.target = nn.Embedding(100, 128)
        self.decoder = nn.TransformerDecoderLayer(128, 4, batch_first=True)
        self.out = nn.Linear(128, 100)

    def forward(self, source, target):
        memory = self.source(source)
        return self.out(self.decoder(self.target(target), memory))  #~ fails


model = Seq2Seq()
source, target = torch.randint(0, 100, (4, 9)), torch.randint(0, 100, (4, 7))
model(source, target).sum().backward()
