"""Truncated backpropagation: the hidden state is detached at each window's edge and carried on."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
signal = torch.sin(torch.arange(0, 801) * 0.3) + 0.05 * torch.randn(801)
rnn, out = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=0.01)
for epoch in range(2):
    state = None
    for t in range(0, 800, 20):
        x, y = signal[t : t + 20].view(1, -1, 1), signal[t + 1 : t + 21].view(1, -1, 1)
        if state is not None:
            state = tuple(s.detach() for s in state)
        h, state = rnn(x, state)
        loss = (out(h) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.4f}")
