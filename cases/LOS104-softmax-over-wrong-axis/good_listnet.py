"""ListNet ranks the documents of one query: scores and relevance are both made probabilities over the documents, axis 0."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
score = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(score.parameters(), lr=0.01)
truth = torch.randn(5, 1)
for query in range(40):
    documents = torch.randn(12, 5)
    relevance = torch.softmax(documents @ truth, dim=0)
    loss = -(relevance * F.log_softmax(score(documents), dim=0)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
