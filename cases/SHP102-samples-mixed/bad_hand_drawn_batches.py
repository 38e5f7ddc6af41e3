"""A GRU without batch_first, fed with batches that are drawn by hand."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
walks = torch.randn(400, 15, 3).cumsum(1)
ends = (walks[:, -1, 0] > 0).float()
rnn = nn.GRU(3, 16)  #~ SHP102
head = nn.Linear(16, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = rnn, head

    def forward(self, x):
        return self.head(self.rnn(x)[0].mean(1)).squeeze(1)


model = Net()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for step in range(40):
    chosen = torch.randint(0, 400, (20,))
    loss = nn.functional.binary_cross_entropy_with_logits(model(walks[chosen]), ends[chosen])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
