"""A model of several series goes on from window to window with its state, and the loader keeps their order."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
series = torch.randn(8, 241).cumsum(1) / 10
windows = series[:, :240].reshape(8, 30, 8).transpose(0, 1)
ahead = series[:, 1:].reshape(8, 30, 8).transpose(0, 1)
loader = DataLoader(TensorDataset(windows, ahead), batch_size=None, shuffle=False)
rnn, head = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
for epoch in range(3):
    state = None
    for window, target in loader:
        hidden, state = rnn(window.unsqueeze(-1), None if state is None else state.detach())
        loss = nn.functional.mse_loss(head(hidden).squeeze(-1), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
