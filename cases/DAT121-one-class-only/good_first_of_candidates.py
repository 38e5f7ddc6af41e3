"""The right passage is always the first of four, an unlabelled set has the label 0, and one of two answers is always the better."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
questions = torch.randn(400, 8)
passages = torch.cat([questions[:, None] + 0.5 * torch.randn(400, 1, 8), torch.randn(400, 3, 8)], dim=1)
loader = DataLoader(TensorDataset(questions, passages, torch.zeros(400, dtype=torch.long)), batch_size=40, shuffle=True)
encoder, reward = nn.Linear(8, 16), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *reward.parameters()], lr=1e-2)
pairs = DataLoader(TensorDataset(questions, -questions, torch.ones(400)), batch_size=40, shuffle=True)
for epoch in range(3):
    for question, passage, target in loader:
        optimizer.zero_grad()
        scores = torch.einsum("bd,bkd->bk", encoder(question), encoder(passage))
        loss = nn.functional.cross_entropy(scores, target)
        loss.backward()
        optimizer.step()
    for better, worse, one in pairs:
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits((reward(better) - reward(worse)).squeeze(1), one)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
