"""Nothing is declared: a convolution over time gets embeddings with their features last, and sentences as long as those are wide."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class TextNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.words, self.conv, self.head = nn.Embedding(50, width), nn.Conv1d(width, 24, 3), nn.Linear(24, 2)

    def forward(self, words):
        x = self.words(words)
        return self.head(F.relu(self.conv(x)).amax(2))  #~ SHP105


model = TextNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(30):
    words = torch.randint(50, (12, 16))
    loss = F.cross_entropy(model(words), (words == 7).any(1).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
