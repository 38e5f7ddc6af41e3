"""All nodes of a graph go through the model, and masks tell which are learned from and which are validation."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.randn(200, 12)
labels = (features[:, 0] > 0).long()
adjacency = (torch.rand(200, 200) < 0.03).float() + torch.eye(200)
adjacency = adjacency / adjacency.sum(1, keepdim=True)
train_mask = torch.rand(200) < 0.5
val_mask = ~train_mask


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(12, 16), nn.Linear(16, 2)

    def forward(self, x):
        return self.two(adjacency @ torch.relu(self.one(adjacency @ x)))


model = Graph()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(30):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(features)[train_mask], labels[train_mask]).backward()
    optimizer.step()
    with torch.no_grad():
        val_accuracy = (model(features).argmax(1)[val_mask] == labels[val_mask]).float().mean()
print(val_accuracy.item())
