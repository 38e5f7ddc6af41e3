"""Gradients are clipped in each step, which switches gradients off for a moment; validation under no_grad, with train() at each epoch's head, but the call to eval() is missing."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@torch.no_grad()
def validate(model, loader):
    correct = 0
    for x, y in loader:
        logits = model(x)  #~ MOD102
        correct += (logits.argmax(dim=1) == y).sum().item()
    return correct / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(480, 12)
    Y = (X @ torch.randn(12, 4)).argmax(1)
    train_loader = DataLoader(TensorDataset(X[:320], Y[:320]), batch_size=32, shuffle=True)
    val_loader = DataLoader(TensorDataset(X[320:], Y[320:]), batch_size=40)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.6), nn.Linear(64, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(5):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        accuracy = validate(model, val_loader)
    print(f"validation accuracy {accuracy:.3f}")


main()
