#~ crash: SHP201
#~ edit: photo.unsqueeze(0)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(64, 5))


def predict(photo):
    net.eval()
    with torch.no_grad():
        return net(photo).softmax(-1)  #~ fails


print(predict(torch.rand(3, 32, 32)).shape[-1])
