"""A bag of instances at a time: the loader gives one bag, whose instances attend to each other as they should."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
bags = torch.randn(60, 12, 8)
labels = bags.amax((1, 2)).gt(2.5).float()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)
        self.head = nn.Linear(8, 1)

    def forward(self, bag):
        h = bag + self.attention(bag, bag, bag, need_weights=False)[0]
        return self.head(h.amax(0)).squeeze()


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for bag, label in DataLoader(TensorDataset(bags, labels), batch_size=1, shuffle=True):
    loss = nn.functional.binary_cross_entropy_with_logits(model(bag.squeeze(0)), label.squeeze(0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
