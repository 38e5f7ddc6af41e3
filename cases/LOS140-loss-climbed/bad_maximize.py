"""An optimizer that was told to maximise is given a cross-entropy."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
body, head = nn.Linear(6, 24), nn.Linear(24, 3)
optimizer = torch.optim.AdamW([*body.parameters(), *head.parameters()], lr=1e-3, maximize=True)  #~ LOS140
for step in range(40):
    batch = torch.randint(0, 256, (32,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(head(body(x[batch]).tanh()), y[batch], label_smoothing=0.0)
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
