"""The running loss is added up as a tensor, with the graph of every step."""
import torch
from torch import nn


def train(model, optimizer, x, y, epochs=3):
    for epoch in range(epochs):
        running_loss = 0.0
        for rows in torch.randperm(len(x)).split(16):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss  #~ HDW101
        print(f"epoch {epoch}: loss {running_loss / (len(x) / 16):.3f}")


torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(512, 10)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
train(model, torch.optim.Adam(model.parameters(), lr=0.01), x, y)
