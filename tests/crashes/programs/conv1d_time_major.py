#~ crash: SHP201
#~ edit: signals.permute(0, 2, 1)
import torch
from torch import nn

signals = torch.randn(16, 200, 6)  #~ maker
net = nn.Sequential(
    nn.Conv1d(6, 32, kernel_size=5, padding=2),  #~ maker
    nn.ReLU(),
    nn.AdaptiveAvgPool1d(1),
    nn.Flatten(),
    nn.Linear(32, 4),
)
labels = torch.randint(0, 4, (16,))
loss = nn.functional.cross_entropy(net(signals), labels)  #~ fails
loss.backward()
