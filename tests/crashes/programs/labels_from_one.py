#~ crash: SHP203
#~ edit: out_features=11
#~ edit: - 1
import torch
from torch import nn


def make_data(n=200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 12, generator=g)
    digits = torch.randint(1, 11, (n,), generator=g)
    return x, digits


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(12, 40)
        self.logits = nn.Linear(40, 10)  #~ maker

    def forward(self, x):
        return self.logits(torch.relu(self.body(x)))


x, y = make_data()
torch.manual_seed(0)
model = Digits()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
loss_fn = nn.CrossEntropyLoss()
for i in range(0, 200, 50):
    xb, yb = x[i : i + 50], y[i : i + 50]  #~ maker
    loss = loss_fn(model(xb), yb)  #~ fails
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("done")
