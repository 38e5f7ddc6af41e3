"""Learning to rank: scores [N, 1] minus scores [1, N] give every pair's margin, as meant."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
scorer = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(scorer.parameters(), lr=0.01)
w = torch.randn(5)
for _ in range(50):
    docs = torch.randn(24, 5)
    relevance = docs @ w
    score = scorer(docs)
    margin = score - score.T
    better = (relevance[:, None] > relevance[None, :]).float()
    loss = (better * F.softplus(-margin)).sum() / better.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
order = (score[:, 0].argsort() == relevance.argsort()).float().mean()
print(f"pair loss {loss.item():.3f}, exact ranks {order.item():.2f}")
