"""One backward, two optimizers, each with its own parameters: sparse embeddings and dense layers."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
table = nn.EmbeddingBag(50, 12, sparse=True, mode="mean")
dense = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 2))
sparse_opt = torch.optim.SparseAdam(list(table.parameters()), lr=0.05)
dense_opt = torch.optim.Adam(dense.parameters(), lr=0.01)
for _ in range(50):
    words = torch.randint(0, 50, (32, 6))
    label = (words.float().mean(1) > 24.5).long()
    sparse_opt.zero_grad()
    dense_opt.zero_grad()
    loss = nn.functional.cross_entropy(dense(table(words)), label)
    loss.backward()
    sparse_opt.step()
    dense_opt.step()
print(f"loss {loss.item():.3f}")
