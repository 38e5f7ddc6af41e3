"""The large part takes a step after every fourth batch, the small one after each: an accumulation."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
table, head = nn.Embedding(40, 8), nn.Linear(8, 2)
table_optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
head_optimizer = torch.optim.Adam(head.parameters(), lr=1e-3)
for number in range(40):
    words = torch.randint(0, 40, (32,))
    loss = nn.functional.cross_entropy(head(table(words)), words % 2)
    table_optimizer.zero_grad()
    (loss / 4).backward()
    table_optimizer.step()
    if number % 4 == 3:
        head_optimizer.step()
        head_optimizer.zero_grad()
print(f"{loss.item():.3f}")
