"""Average the weights of the last epochs (SWA) and recompute the batch statistics of the averaged network."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(14)
torch.set_num_threads(1)

EPOCHS, SWA_START = 16, 10

x = torch.randn(1792, 16)
hidden = torch.tanh(x @ torch.randn(16, 8) / 2)
y = (hidden @ torch.randn(8, 4)).argmax(dim=1)
train_loader = DataLoader(TensorDataset(x[:1280], y[:1280]), batch_size=64, shuffle=True, drop_last=True)
test_x, test_y = x[1280:], y[1280:]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 64)
        self.bn1 = nn.BatchNorm1d(64)
        self.fc2 = nn.Linear(64, 64)
        self.bn2 = nn.BatchNorm1d(64)
        self.fc3 = nn.Linear(64, 4)

    def forward(self, x):
        x = F.relu(self.bn1(self.fc1(x)))
        x = F.relu(self.bn2(self.fc2(x)))
        return self.fc3(x)


def evaluate(net):
    net.eval()
    with torch.no_grad():
        logits = net(test_x)
    return F.cross_entropy(logits, test_y).item(), (logits.argmax(1) == test_y).float().mean().item()


model = Net()
swa_model = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3)
scheduler = CosineAnnealingLR(optimizer, T_max=SWA_START, eta_min=0.03)
swa_scheduler = SWALR(optimizer, swa_lr=0.03, anneal_epochs=2)

for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for inputs, targets in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch >= SWA_START:
        swa_model.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
    if epoch % 5 == 0:
        print(f"epoch {epoch} train loss {total / len(train_loader):.4f}")

update_bn(train_loader, swa_model)
print("last weights:     loss %.4f accuracy %.3f" % evaluate(model))
print("averaged weights: loss %.4f accuracy %.3f" % evaluate(swa_model))
