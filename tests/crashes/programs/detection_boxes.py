#~ crash: SHP201
#~ edit: predicted[:, :2]
import torch
from torch import nn

backbone = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
boxes_head = nn.Linear(32, 4 * 3)
images, boxes = torch.rand(5, 3, 32, 32), torch.rand(5, 2, 4)  #~ maker
predicted = boxes_head(backbone(images)).view(5, 3, 4)  #~ maker
loss = nn.functional.smooth_l1_loss(predicted, boxes)  #~ fails
loss.backward()
