"""Transfer learning with a frozen convolutional backbone kept in eval mode and a new head that is trained."""

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
torch.set_num_threads(1)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x)


class Model(nn.Module):
    def __init__(self, backbone, num_classes):
        super().__init__()
        self.backbone = backbone
        self.fc = nn.Linear(128, num_classes)

    def forward(self, x):
        return self.fc(self.backbone(x))


def make_data(patterns, count):
    labels = torch.randint(0, len(patterns), (count,))
    images = patterns[labels].repeat(1, 1, 2, 2) + 0.7 * torch.randn(count, 1, 12, 12)
    return TensorDataset(images, labels)


def evaluate(model, loader):
    model.eval()
    hits = 0
    with torch.inference_mode():
        for inputs, labels in loader:
            hits += torch.sum(model(inputs).argmax(1) == labels).item()
    return hits / len(loader.dataset)


criterion = nn.CrossEntropyLoss()

# Stage one: train everything on the source task.
source_patterns = torch.randn(10, 1, 6, 6)
source_loader = DataLoader(make_data(source_patterns, 768), batch_size=64, shuffle=True)
model = Model(Backbone(), num_classes=10)
optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(5):
    model.train()
    for inputs, labels in source_loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
print(f"source loss {loss.item():.4f}")

# Stage two: freeze the backbone and train a new head for the target task.
target_patterns = torch.randn(4, 1, 6, 6)
target_train = DataLoader(make_data(target_patterns, 512), batch_size=32, shuffle=True)
target_test = DataLoader(make_data(target_patterns, 256), batch_size=128)
for param in model.parameters():
    param.requires_grad = False
model.fc = nn.Linear(128, 4)
optimizer_ft = optim.SGD(model.fc.parameters(), lr=0.02, momentum=0.9)
exp_lr_scheduler = optim.lr_scheduler.StepLR(optimizer_ft, step_size=3, gamma=0.1)
print(f"target accuracy with a new head {evaluate(model, target_test):.3f}")
for epoch in range(6):
    model.train()
    model.backbone.eval()  # keep the running statistics of the source task
    for inputs, labels in target_train:
        optimizer_ft.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer_ft.step()
    exp_lr_scheduler.step()
print(f"target loss {loss.item():.4f}")
print(f"target accuracy after training {evaluate(model, target_test):.3f}")
