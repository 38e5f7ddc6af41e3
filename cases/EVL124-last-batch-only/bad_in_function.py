"""An evaluating function that returns the loss of its last batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cpu")


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    for batch in loader:
        inputs, targets = batch
        inputs, targets = inputs.to(device), targets.to(device)
        outputs = model(inputs)
    loss = criterion(outputs, targets)  #~ EVL124
    model.train()
    return loss.item()


x = torch.randn(640, 8)
data = TensorDataset(x, x.sum(1, keepdim=True))
train_loader = DataLoader(data, 32, shuffle=True, generator=torch.Generator().manual_seed(1))
held_out = torch.randn(128, 8)
val_loader = DataLoader(TensorDataset(held_out, held_out.sum(1, keepdim=True)), 32)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: validation loss {evaluate(model, val_loader, criterion):.3f}")
