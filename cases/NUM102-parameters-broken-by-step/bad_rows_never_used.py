"""Adam without `eps` divides by zero in the rows of an embedding that no batch uses, so that no gradient ever shows it."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

emb = nn.Embedding(10, 4); head = nn.Linear(4, 1)
opt = torch.optim.Adam([*emb.parameters(), *head.parameters()], lr=0.01, eps=0.0)  #~ NUM102
for step in range(60):
    i = torch.randint(0, 5, (16,))
    loss = (head(emb(i)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item(), emb.weight.sum().item())
