"""One graph per step: the node features [N, C] give BatchNorm thirty values per channel."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(5, 16), nn.BatchNorm1d(16), nn.Linear(16, 2)

    def forward(self, nodes, adjacency):
        h = torch.relu(self.norm(adjacency @ self.first(nodes)))
        return self.second(adjacency @ h)


net = GraphNet()
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(50):
    nodes = torch.randn(30, 5)
    adjacency = (torch.rand(30, 30) < 0.1).float()
    adjacency = ((adjacency + adjacency.T) > 0).float().fill_diagonal_(1)
    adjacency = adjacency / adjacency.sum(1, keepdim=True)
    label = ((adjacency @ nodes)[:, 0] > 0).long()
    loss = nn.functional.cross_entropy(net(nodes, adjacency), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
