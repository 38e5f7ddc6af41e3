"""A cell learns to train a small regression: its state belongs to the parameters, and goes on over random batches."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(480, 6)
y = x @ torch.randn(6)
loader = DataLoader(TensorDataset(x, y), batch_size=24, shuffle=True)
cell, head = nn.LSTMCell(1, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=0.005)
weight, state = torch.zeros(6), (torch.zeros(6, 8), torch.zeros(6, 8))
for epoch in range(3):
    for inputs, target in loader:
        gradient = (inputs.T @ (inputs @ weight - target) / len(inputs)).unsqueeze(1)
        state = cell(gradient, tuple(part.detach() for part in state))
        trained = weight - 0.1 * gradient.squeeze(1) + 0.01 * head(state[0]).squeeze(1)
        loss = nn.functional.mse_loss(inputs @ trained, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        weight = trained.detach()
    print(f"epoch {epoch}: {loss.item():.3f}")
