"""Cross-validation: over all folds every sample is trained on and tested, but never by the same model."""
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(200, 8)
data = TensorDataset(X, (X[:, 0] - X[:, 1] > 0).long())
folds = [Subset(data, part.tolist()) for part in torch.randperm(200).chunk(4)]
scores = []
for k, test in enumerate(folds):
    train = ConcatDataset([f for i, f in enumerate(folds) if i != k])
    net = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 2))
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for epoch in range(3):
        for x, y in DataLoader(train, batch_size=30, shuffle=True):
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
    with torch.no_grad():
        right = sum((net(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, batch_size=25))
    scores.append(right / len(test))
print("fold accuracies", [round(s, 2) for s in scores])
