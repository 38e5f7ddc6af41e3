#~ crash: SHP203
#~ edit: ignore_index=255
import torch
from torch import nn


class Segmenter(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU())
        self.head = nn.Conv2d(8, classes, 1)

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(0)
model = Segmenter()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    images = torch.rand(2, 3, 16, 16)
    masks = torch.randint(0, 5, (2, 16, 16))  #~ maker
    masks[:, 0] = 255
    logits = model(images)
    loss = criterion(logits, masks)  #~ fails
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
