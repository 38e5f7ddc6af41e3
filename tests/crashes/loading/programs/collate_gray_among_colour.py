#~ crash: SHP201
#~ said: item 5 gives f32[1, 8, 8], 7 others, such as item 0, give f32[3, 8, 8]
#~ edit: number of channels
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        channels = 1 if index in (5, 17) else 3
        picture = torch.rand(channels, 8, 8)
        return picture, index % 2  #~ fails


torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(192, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for picture, label in DataLoader(Pictures(), batch_size=8):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(picture), label).backward()
    optimizer.step()
print("ok")
