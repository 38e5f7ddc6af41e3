#~ crash: SHP201
#~ edit: image.unsqueeze(0)
import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.head = nn.Linear(8 * 14 * 14, 10)  #~ maker

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv(x)), 2)
        x = x.flatten(1)  #~ maker
        return self.head(x)  #~ fails


torch.manual_seed(0)
model = Digits()
images, labels = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(0, 64, 16):
    loss = nn.functional.cross_entropy(model(images[i : i + 16]), labels[i : i + 16])
    opt.zero_grad()
    loss.backward()
    opt.step()
image = images[3]
print(model(image).argmax(-1).flatten().tolist())
