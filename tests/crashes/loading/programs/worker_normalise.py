#~ crash: SHP201
#~ said: at item 0
#~ edit: [:, None, None]
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Normalise:
    def __init__(self):
        self.mean = torch.tensor([0.5, 0.4, 0.3])  #~ maker

    def __call__(self, image):
        return image - self.mean  #~ fails


class Images(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 32

    def __getitem__(self, index):
        image = torch.rand(3, 16, 16)  #~ maker
        return self.transform(image), index % 3


torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(768, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for image, label in DataLoader(Images(Normalise()), batch_size=8, num_workers=1):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(image), label).backward()
    optimizer.step()
print("ok")
