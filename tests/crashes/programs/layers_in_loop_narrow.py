#~ crash: SHP201
#~ edit: in_features=24
import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        wide = nn.Linear(16, 24)  #~ maker
        narrow = nn.Linear(20, 24)  #~ maker
        self.layers = nn.ModuleList([wide, narrow])
        self.head = nn.Linear(24, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))  #~ fails
        return self.head(x)


torch.manual_seed(0)
model = Deep()
opt = torch.optim.Adam(model.parameters())
for _ in range(2):
    x = torch.randn(8, 16)
    loss = model(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print("done")
