"""Each pass goes on from what the one before has left: a state that is rolled out, and compared at its end."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
turn = torch.linalg.qr(torch.randn(4, 4)).Q
for step in range(60):
    state = torch.randn(32, 4)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(state), state @ turn)
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        with torch.no_grad():
            state = torch.randn(64, 4)
            true = state
            for force in torch.zeros(5, 4):
                state = model(state + force)
                true = (true + force) @ turn
            print(f"step {step}: error after five steps {(state - true).abs().mean().item():.3f}")
