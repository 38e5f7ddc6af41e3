"""Embeddings are compared with themselves where the anchor was meant, so that the loss is zero whatever they are."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for _ in range(20):
    anchor, positive = torch.randn(32, 8), torch.randn(32, 8)
    a, p = encoder(anchor), encoder(positive)
    loss = (1 - F.cosine_similarity(p, p, dim=1)).mean()  #~ GRD104
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
