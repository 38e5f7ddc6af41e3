#~ crash: SHP201
#~ edit: [:, None, None]
#~ edit: [None, :, None, None]
import torch
from torch import nn

torch.manual_seed(0)
mean = torch.tensor([0.485, 0.456, 0.406])  #~ maker
std = torch.tensor([0.229, 0.224, 0.225])


def normalise(images):
    centred = images - mean  #~ fails
    return centred / std


model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    images = torch.rand(4, 3, 24, 24)  #~ maker
    labels = torch.randint(0, 5, (4,))
    loss = nn.functional.cross_entropy(model(normalise(images)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
