"""Dropout layers in a plain list are not parts of the model, and stay in train mode."""
import torch
from torch import nn
import torch.nn.functional as F


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(1, 6, 3, padding=1), nn.Conv2d(6, 6, 3, padding=1)])
        self.drops = [nn.Dropout2d(0.2), nn.Dropout2d(0.2)]
        self.head = nn.Linear(6, 2)

    def forward(self, x):
        for conv, drop in zip(self.convs, self.drops):
            x = drop(F.relu(conv(x)))  #~ MOD105
        return self.head(x.mean((2, 3)))


torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(192, 1, 8, 8)
labels = (images.mean((1, 2, 3)) > 0).long()
net = ConvNet()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(3):
    net.train()
    for idx in torch.randperm(128).split(32):
        opt.zero_grad()
        F.cross_entropy(net(images[idx]), labels[idx]).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        print(f"accuracy {(net(images[128:]).argmax(1) == labels[128:]).float().mean():.3f}")
