"""Train a detector of rare events, drawing the rare class more often and counting errors per class."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler, random_split

torch.set_num_threads(1)
torch.manual_seed(55)


class Detector(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(num_features, 32), nn.Linear(32, 32)])
        self.head = nn.Linear(32, 2)
        self.dropout = nn.Dropout(p=0.1)

    def forward(self, x):
        for layer in self.layers:
            x = self.dropout(torch.relu(layer(x)))
        return self.head(x)


def make_dataset(count=3000, rate=0.06):
    y = (torch.rand(count) < rate).long()
    x = torch.randn(count, 10)
    x[:, :3] += 1.8 * y.unsqueeze(1)
    return TensorDataset(x, y)


def recall_per_class(model, loader):
    model.eval()
    confusion = torch.zeros(2, 2, dtype=torch.long)
    with torch.no_grad():
        for x, y in loader:
            predictions = model(x).argmax(dim=1)
            for actual, predicted in zip(y.tolist(), predictions.tolist()):
                confusion[actual, predicted] += 1
    return (confusion.diagonal() / confusion.sum(dim=1)).tolist()


train_set, valid_set = random_split(make_dataset(), [0.8, 0.2], generator=torch.Generator().manual_seed(1))
train_labels = train_set.dataset.tensors[1][train_set.indices]
class_weights = 1.0 / torch.bincount(train_labels).double()
sampler = WeightedRandomSampler(class_weights[train_labels], num_samples=len(train_set), replacement=True)
train_loader = DataLoader(train_set, batch_size=48, sampler=sampler)
valid_loader = DataLoader(valid_set, batch_size=200)

model = Detector(num_features=10)
optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(1, 7):
    model.train()
    losses = []
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    if epoch % 2 == 0:
        common, rare = recall_per_class(model, valid_loader)
        print(f"epoch {epoch} loss {torch.stack(losses).mean():.4f} recall: common {common:.3f} rare {rare:.3f}")
