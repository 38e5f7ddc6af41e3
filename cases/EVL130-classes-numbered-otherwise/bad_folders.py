"""Pictures by folder: the classes are listed in the order in which their folders are met, which is another one for the test."""

from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
LIGHT = {"dusk": 0.2, "night": 0.0, "noon": 1.0}


class Folder(Dataset):
    def __init__(self, root, order, count):
        chosen = [order[index % len(order)] for index in range(count)]
        self.paths = [Path(root) / name / f"{number}.png" for number, name in enumerate(chosen)]
        self.classes = list(dict.fromkeys(path.parent.name for path in self.paths))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        name = self.paths[index].parent.name
        image = LIGHT[name] + 0.2 * torch.randn(1, 6, 6)
        return {"image": image, "label": self.classes.index(name)}


def accuracy(model, loader):
    right = total = 0
    model.eval()
    with torch.inference_mode():
        for batch in loader:
            _, told = model(batch["image"]).max(1)
            right += (told == batch["label"]).sum()
            total += len(told)
    return float(right) / total


def main():
    train_loader = DataLoader(Folder("pictures/train", ["night", "dusk", "noon"], 180), batch_size=18, shuffle=True)
    test_loader = DataLoader(Folder("pictures/test", ["noon", "night", "dusk"], 45), batch_size=15)  #~ EVL130
    model = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.Tanh(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(3):
        model.train()
        for batch in train_loader:
            optimizer.zero_grad()
            criterion(model(batch["image"]), batch["label"]).backward()
            optimizer.step()
        print(f"{accuracy(model, test_loader):.3f}")


main()
