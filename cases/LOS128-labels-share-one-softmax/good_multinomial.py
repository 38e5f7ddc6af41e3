"""A recommender: the clicks of a user are reconstructed by a multinomial likelihood, and a user has as many as there are."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
taste = torch.randn(240, 3) @ torch.randn(3, 30)
clicks = (taste > 1.5).float()
model = nn.Sequential(nn.Dropout(0.3), nn.Linear(30, 16), nn.Tanh(), nn.Linear(16, 30))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(240).split(40):
        loss = nn.functional.cross_entropy(model(clicks[rows]), clicks[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
