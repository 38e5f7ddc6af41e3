#~ crash: SHP201
#~ edit: in_channels=32
#~ edit: out_channels=16
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)  #~ maker
        self.conv2 = nn.Conv2d(16, 64, 3, padding=1)  #~ maker
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.relu(self.conv2(x))  #~ fails
        return self.fc(x.mean((2, 3)))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for _ in range(2):
    images, labels = torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,))
    optimizer.zero_grad()
    criterion(net(images), labels).backward()
    optimizer.step()
print("ok")
