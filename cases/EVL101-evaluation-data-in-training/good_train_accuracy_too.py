"""Both sets are evaluated after each epoch: the training accuracy is reported beside the test accuracy."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        return sum((model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(360, 12)
    Y = (X @ torch.randn(12, 3)).argmax(1)
    train_set, test_set = TensorDataset(X[:260], Y[:260]), TensorDataset(X[260:], Y[260:])
    train_loader = DataLoader(train_set, batch_size=26, shuffle=True)
    train_eval_loader = DataLoader(train_set, batch_size=130)
    test_loader = DataLoader(test_set, batch_size=100)
    model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(5):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        seen, unseen = accuracy(model, train_eval_loader), accuracy(model, test_loader)
    print(f"accuracy on training data {seen:.3f}, on test data {unseen:.3f}")


main()
