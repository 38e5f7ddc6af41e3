#~ crash: SHP201
#~ edit: num_features=64
import torch
import torch.nn as nn


class ConvBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(32)  #~ maker
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.conv(x)  #~ maker
        y = self.norm(y)  #~ fails
        return self.act(y)


class Classifier(nn.Module):
    def __init__(self, width=64, classes=4):
        super().__init__()
        self.stem = ConvBlock(3, width)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        return self.fc(self.pool(self.stem(x)).flatten(1))


torch.manual_seed(7)
model = Classifier()
optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
for it in range(3):
    x = torch.randn(8, 3, 16, 16)
    y = torch.randint(0, 4, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optim.step()
    optim.zero_grad()
    print(it)
