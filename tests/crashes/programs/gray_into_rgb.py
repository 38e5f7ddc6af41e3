#~ crash: SHP201
#~ edit: in_channels=1
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.rand(96, 1, 28, 28)
Y = torch.randint(0, 10, (96,))
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)  #~ maker

model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1),  #~ maker
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(16, 10),
)
opt = torch.optim.Adam(model.parameters())
loss_fn = nn.CrossEntropyLoss()

for epoch in range(2):
    for xb, yb in loader:
        loss = loss_fn(model(xb), yb)  #~ fails
        opt.zero_grad()
        loss.backward()
        opt.step()
print("ok")
