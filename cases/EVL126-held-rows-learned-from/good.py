"""A graph network is trained on the labels of its training nodes, and run on all."""
import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.first = nn.Linear(features, 16)
        self.second = nn.Linear(16, classes)

    def forward(self, x, adjacency):
        h = torch.relu(adjacency @ self.first(x))
        return adjacency @ self.second(h)


def accuracy(scores, y, mask):
    return (scores.argmax(1)[mask] == y[mask]).float().mean().item()


torch.manual_seed(0)
torch.set_num_threads(1)
nodes = 120
y = torch.randint(0, 3, (nodes,))
x = torch.randn(nodes, 10) + nn.functional.one_hot(y, 10)
edges = (torch.rand(nodes, nodes) < 0.02) | ((y[:, None] == y) & (torch.rand(nodes, nodes) < 0.06))
adjacency = (edges | edges.T | torch.eye(nodes, dtype=torch.bool)).float()
adjacency = adjacency / adjacency.sum(1, keepdim=True)
order = torch.randperm(nodes)
train_mask = torch.zeros(nodes, dtype=torch.bool)
train_mask[order[:60]] = True
test_mask = ~train_mask
model = Graph(10, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(20):
    scores = model(x, adjacency)
    loss = nn.functional.cross_entropy(scores[train_mask], y[train_mask])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    scores = model(x, adjacency)
    test_accuracy = (scores[test_mask].argmax(1) == y[test_mask]).float().mean().item()
print(f"train {accuracy(scores, y, train_mask):.3f}, test {test_accuracy:.3f}")
