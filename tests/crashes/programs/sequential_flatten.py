#~ crash: SHP201
#~ edit: in_features=1152
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,)))
model = nn.Sequential(
    nn.Conv2d(1, 16, 3),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, stride=2),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(32 * 5 * 5, 128),  #~ maker
    nn.ReLU(),
    nn.Linear(128, 10),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_function = nn.CrossEntropyLoss()
for epoch in range(1):
    for images, labels in DataLoader(data, batch_size=16, shuffle=True):
        optimizer.zero_grad()
        output = model(images)  #~ fails
        loss_function(output, labels).backward()
        optimizer.step()
print("done")
