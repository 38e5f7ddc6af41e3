#~ crash: SHP201
#~ said: item 29 gives f32[3, 32, 40], 7 others, such as item 24, give f32[3, 32, 32]
#~ edit: resized
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, n=48):
        self.sizes = [(32, 40) if index == 29 else (32, 32) for index in range(n)]

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        height, width = self.sizes[index]
        image = torch.rand(3, height, width)
        return {"image": image, "label": index % 4}  #~ fails


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))
    optimizer = torch.optim.Adam(model.parameters())
    for batch in DataLoader(Photos(), batch_size=8, num_workers=1):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(batch["image"]), batch["label"]).backward()
        optimizer.step()
    print("ok")
