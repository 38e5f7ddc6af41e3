"""Items bear a name and a number of their own, other ones in each data set, beside the class that is learned."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Plates(Dataset):
    def __init__(self, count, batches):
        self.classes = ["clear", "cloudy"]
        self.batches = sorted(batches)
        self.origins = [batches[index] for index in torch.randint(0, len(batches), (count,)).tolist()]
        self.labels = [self.classes[index] for index in torch.randint(0, 2, (count,)).tolist()]
        self.wells = torch.randn(count, 10) + torch.tensor([[float(label == "cloudy")] for label in self.labels])
        self.files = [f"plate_{number}.png" for number in torch.randperm(count).tolist()]

    def __len__(self):
        return len(self.wells)

    def __getitem__(self, index):
        return self.wells[index], self.batches.index(self.origins[index]), index, self.classes.index(self.labels[index])


train = DataLoader(Plates(200, ["a", "b", "c", "d"]), batch_size=20, shuffle=True)
held = DataLoader(Plates(60, ["b", "c", "d"]), batch_size=20)
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for wells, origins, numbers, labels in train:
        loss = nn.functional.cross_entropy(model(wells), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = 0
    with torch.no_grad():
        for wells, origins, numbers, labels in held:
            right += (model(wells).argmax(1) == labels).sum().item()
    print(f"{right / 60:.3f}")
