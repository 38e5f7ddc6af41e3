"""The validation loss rises because the model learns sixteen samples by heart: that is what the schedule is for."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x, noise = torch.randn(400, 12), torch.randint(0, 2, (400,))
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
for epoch in range(10):
    for _ in range(8):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x[:16]), noise[:16]).backward()
        optimizer.step()
    with torch.no_grad():
        val_loss = nn.functional.cross_entropy(model(x[16:]), noise[16:]).item()
    scheduler.step(val_loss)
print(f"validation loss {val_loss:.3f}, rate {optimizer.param_groups[0]['lr']:.5f}")
