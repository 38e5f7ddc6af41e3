"""The weights of a first phase are trained on other data, by the same settings and a new Adam; their epoch goes into the settings."""

import io

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(300, 6)
y = (x[:, 0] > 0).long()


def build():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def fit(model, optimizer, scheduler, inputs):
    for epoch in range(3):
        for batch in torch.randperm(300).split(30):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs[batch]), y[batch])
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(epoch, loss.item())


def load_pretrained(model, file):
    checkpoint = torch.load(file)
    model.load_state_dict(checkpoint["model"])
    return model, checkpoint["epoch"]


model = build()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
fit(model, optimizer, scheduler, x)
file = io.BytesIO()
torch.save({"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}, file)
file.seek(0)

model, phase = load_pretrained(build(), file)
settings = {"from": phase, "rate": 1e-3}
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
fit(model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 2), x + 1)
print(settings)
