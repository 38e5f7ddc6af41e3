"""The encoder runs under no_grad while the head warms up and gets its gradients from the third epoch on."""
import torch
from torch import nn


class Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 40), nn.ReLU())
        self.head = nn.Linear(40, 3)
        self.warm = True

    def forward(self, x):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.warm):
            h = self.encoder(x)
        return self.head(h)


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 10)
Y = (X @ torch.randn(10, 3)).argmax(1)
model = Tuned()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(6):
    model.warm = epoch < 2
    for idx in torch.randperm(300).split(30):
        loss = nn.functional.cross_entropy(model(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
