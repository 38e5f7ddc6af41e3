"""A tabular classifier: rows are permuted once and split in three; two embeddings, class weights, early stopping on the middle part."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CITIES, JOBS = 8, 5


def make_table(count):
    numbers = torch.randn(count, 6)
    city = torch.randint(0, CITIES, (count, 1))
    job = torch.randint(0, JOBS, (count, 1))
    score = numbers[:, 0] - numbers[:, 1] + 0.4 * (city[:, 0] % 3) + 0.3 * job[:, 0] - 1.0 + 0.3 * torch.randn(count)
    return torch.cat([numbers, city.float(), job.float()], 1), (score > 0.3).long()


class Tabular(nn.Module):
    def __init__(self):
        super().__init__()
        self.city = nn.Embedding(CITIES, 4)
        self.job = nn.Embedding(JOBS, 3)
        self.layers = nn.Sequential(nn.Linear(13, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 2))

    def forward(self, row):
        parts = [row[:, :6], self.city(row[:, 6].long()), self.job(row[:, 7].long())]
        return self.layers(torch.cat(parts, 1))


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    model.train()
    return right / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rows, answers = make_table(700)
    perm = torch.randperm(len(rows))
    rows, answers = rows[perm], answers[perm]
    train = TensorDataset(rows[:500], answers[:500])
    val = TensorDataset(rows[500:600], answers[500:600])
    test = TensorDataset(rows[600:], answers[600:])
    train_loader = DataLoader(train, batch_size=50, shuffle=True, drop_last=True)
    val_loader, test_loader = DataLoader(val, batch_size=100), DataLoader(test, batch_size=100)
    share = answers[:500].float().mean()
    criterion = nn.CrossEntropyLoss(weight=torch.stack([share, 1 - share]) * 2)
    model = Tabular()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    best, state, patience = 0.0, copy.deepcopy(model.state_dict()), 3
    for epoch in range(8):
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        score = accuracy(model, val_loader)
        if score > best:
            best, state, patience = score, copy.deepcopy(model.state_dict()), 3
        else:
            patience -= 1
            if patience == 0:
                break
    model.load_state_dict(state)
    print(f"validation {best:.3f}, test {accuracy(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
