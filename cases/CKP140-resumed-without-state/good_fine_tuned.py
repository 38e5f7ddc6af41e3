"""The weights of a checkpoint are fine-tuned at a smaller rate; the epoch is only shown."""

import io

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 6)
y = (x[:, 0] > x[:, 1]).long()


def build():
    model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, epochs):
    for epoch in epochs:
        for batch in torch.randperm(256).split(32):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}, rate {optimizer.param_groups[0]['lr']:.5f}")


model, optimizer, scheduler = build()
train(model, optimizer, scheduler, range(3))
file = io.BytesIO()
torch.save(
    {"epoch": 2, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()},
    file,
)
file.seek(0)

model, optimizer, scheduler = build()
checkpoint = torch.load(file)
model.load_state_dict(checkpoint["model"])
print(f"weights of epoch {checkpoint['epoch']}")
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
train(model, optimizer, scheduler, range(2))
