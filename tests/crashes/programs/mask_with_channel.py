#~ crash: SHP201
#~ edit: .squeeze(1)
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())


def batches(count):
    for _ in range(count):
        yield torch.rand(2, 1, 16, 16), torch.randint(0, 3, (2, 1, 16, 16))  #~ maker


for image, mask in batches(3):
    logits = model(image)
    loss = criterion(logits, mask)  #~ fails
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
