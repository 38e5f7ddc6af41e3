"""Long series come in random order, and each is learned in parts: its state goes from part to part and no further."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
series = torch.randn(96, 40, 1).cumsum(1) / 10
loader = DataLoader(TensorDataset(series), batch_size=16, shuffle=True)
rnn, head = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
for epoch in range(3):
    for (batch,) in loader:
        state = None
        for part in batch.split(10, dim=1):
            hidden, state = rnn(part[:, :-1], state)
            state = tuple(each.detach() for each in state)
            loss = nn.functional.mse_loss(head(hidden), part[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
