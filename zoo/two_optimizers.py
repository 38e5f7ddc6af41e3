"""Train a factorisation recommender with SparseAdam for its embeddings and AdamW for its dense part."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split


class Ratings(Dataset):
    """Ratings of two in five of all pairs of user and item, made from hidden factors."""

    def __init__(self, users, items, factors=3):
        user_factors, item_factors = torch.randn(users, factors), torch.randn(items, factors)
        pairs = torch.randperm(users * items)[: users * items * 2 // 5]
        self.user, self.item = pairs // items, pairs % items
        score = (user_factors[self.user] * item_factors[self.item]).sum(1) / factors**0.5
        self.rating = score + 0.1 * torch.randn(len(score))

    def __len__(self):
        return len(self.rating)

    def __getitem__(self, index):
        return self.user[index], self.item[index], self.rating[index]


class Recommender(nn.Module):
    def __init__(self, users, items, width=16):
        super().__init__()
        self.user_embedding = nn.Embedding(users, width, sparse=True)
        self.item_embedding = nn.Embedding(items, width, sparse=True)
        self.mlp = nn.Sequential(nn.Linear(3 * width, 48), nn.ReLU(), nn.Linear(48, 1))
        nn.init.normal_(self.user_embedding.weight, std=0.3)
        nn.init.normal_(self.item_embedding.weight, std=0.3)

    def forward(self, user, item):
        u, v = self.user_embedding(user), self.item_embedding(item)
        return self.mlp(torch.cat([u, v, u * v], dim=1)).squeeze(1)


def evaluate(model, loader, criterion):
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for user, item, rating in loader:
            total += criterion(model(user, item), rating).item() * len(rating)
            count += len(rating)
    model.train()
    return total / count


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    dataset = Ratings(users=100, items=80)
    train_set, valid_set = random_split(dataset, [2700, 500])
    train_loader = DataLoader(train_set, batch_size=100, shuffle=True)
    valid_loader = DataLoader(valid_set, batch_size=250)

    model = Recommender(users=100, items=80)
    embeddings = [model.user_embedding.weight, model.item_embedding.weight]
    sparse_optimizer = torch.optim.SparseAdam(embeddings, lr=0.02)
    dense_optimizer = torch.optim.AdamW(model.mlp.parameters(), lr=3e-3, weight_decay=0.01)
    criterion = nn.MSELoss()

    print(f"valid loss before training {evaluate(model, valid_loader, criterion):.4f}")
    for epoch in range(9):
        for user, item, rating in train_loader:
            sparse_optimizer.zero_grad()
            dense_optimizer.zero_grad()
            loss = criterion(model(user, item), rating)
            loss.backward()
            sparse_optimizer.step()
            dense_optimizer.step()
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1} valid loss {evaluate(model, valid_loader, criterion):.4f}")


if __name__ == "__main__":
    main()
