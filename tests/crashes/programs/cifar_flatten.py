#~ crash: SHP201
#~ edit: in_features=1024
"""Small CNN on CIFAR-sized images."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5, padding=2)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5, padding=2)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)  #~ maker
        self.fc2 = nn.Linear(120, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)  #~ maker
        x = F.relu(self.fc1(x))  #~ fails
        return self.fc2(x)


torch.manual_seed(0)
images, labels = torch.randn(64, 3, 32, 32), torch.randint(0, 10, (64,))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(2):
    for i in range(0, 64, 16):
        opt.zero_grad()
        loss = F.cross_entropy(net(images[i : i + 16]), labels[i : i + 16])
        loss.backward()
        opt.step()
    print(epoch, "done")
