"""A hook on the projection inside an attention layer, which hands the weights to a function."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        x = x[:, None].repeat(1, 4, 1)
        return self.head(self.attention(x, x, x)[0].mean(1))


features = []


def collect(module, inputs, output):
    features.append(output)


model = Net()
model.attention.out_proj.register_forward_hook(collect)  #~ MOD170
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    x = torch.randn(32, 8)
    features.clear()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss = loss + sum(1e-3 * feature.pow(2).mean() for feature in features)
    loss.backward()
    optimizer.step()
