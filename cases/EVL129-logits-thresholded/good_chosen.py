"""Will a customer leave? The model gives logits, and they are cut where the costs of a wrong letter and of a lost customer meet."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
customers = torch.randn(900, 6)
leaves = torch.bernoulli(torch.sigmoid(1.5 * customers[:, 0] - customers[:, 3])).unsqueeze(1)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(6):
    model.train()
    for rows in torch.randperm(700).split(50):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(customers[rows]), leaves[rows])
        loss.backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    found = model(customers[700:]) > -0.8
    recall = (found * leaves[700:]).sum() / leaves[700:].sum()
print(f"recall {recall:.3f}")
