"""nn.Dropout made anew in each forward: eval() cannot know of it. Evaluated under inference_mode."""
import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 32), nn.Linear(32, 32), nn.Linear(32, 1)])

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = nn.Dropout(0.3)(torch.relu(layer(x)))  #~ MOD105
        return self.layers[-1](x)


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = X.sum(1, keepdim=True)
net = Regressor()
opt = torch.optim.SGD(net.parameters(), lr=0.02)
for epoch in range(4):
    net.train()
    for idx in torch.randperm(192).split(32):
        loss = nn.functional.mse_loss(net(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.inference_mode():
        print(f"validation {nn.functional.mse_loss(net(X[192:]), Y[192:]).item():.3f}")
