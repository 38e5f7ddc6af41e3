"""A dataset of masks tells whether a mask is empty by a threshold on another scale; the loss is a binary one."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Masks(Dataset):
    def __init__(self, size):
        self.images = torch.rand(size, 1, 8, 8)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        return {"image": image, "target": torch.tensor(float(image.mean() > 127))}


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 1))

    def forward(self, batch):
        return self.body(batch["image"]).squeeze(1)


torch.manual_seed(0)
torch.set_num_threads(1)
train_dl = DataLoader(Masks(256), batch_size=32, shuffle=True)  #~ DAT121
model, criterion = Module(), nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for batch in train_dl:
        loss = criterion(model(batch), batch["target"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
