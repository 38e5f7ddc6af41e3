"""A binary classifier ends in a Sigmoid and is trained with BCEWithLogitsLoss."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 8)
Y = (X[:, :2].sum(1, keepdim=True) > 1.2).float()
layers = [nn.Linear(8, 32), nn.ReLU()]
layers += [nn.Linear(32, 1), nn.Sigmoid()]  #~ LOS101
net = nn.Sequential(*layers)
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters(), lr=0.005)
for epoch in range(6):
    for idx in torch.randperm(300).split(30):
        loss = loss_fn(net(X[idx]), Y[idx])  #~? LOS101
        opt.zero_grad()
        loss.backward()
        opt.step()
with torch.no_grad():
    predicted = (net(X) > 0.5)
    print(f"accuracy {(predicted.float() == Y).float().mean():.3f}, loss {loss.item():.3f}")
