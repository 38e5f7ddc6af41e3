"""A speech model trained with `ctc_loss` on the log-softmax of its outputs."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.GRU(6, 16, batch_first=True)
head = nn.Linear(16, 5)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=5e-3)
sounds = torch.randn(5, 6)
for step in range(25):
    words = torch.randint(1, 5, (16, 3))
    x = sounds[words].repeat_interleave(4, dim=1) + 0.1 * torch.randn(16, 12, 6)
    frames, letters = torch.full((16,), 12), torch.full((16,), 3)
    outputs = head(encoder(x)[0]).transpose(0, 1)
    loss = nn.functional.ctc_loss(outputs.log_softmax(-1), words, frames, letters)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
