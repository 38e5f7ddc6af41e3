"""Self-training: a classifier labels what it is sure of, and is trained again on both the given and its own labels."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

ROUNDS, EPOCHS, SURE = 3, 6, 0.95


def make_blobs(size, generator):
    centers = torch.tensor([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])
    labels = torch.randint(0, 3, (size,), generator=generator)
    noise = 0.7 * torch.randn(size, 2, generator=generator)
    return torch.cat([centers[labels] + noise, torch.randn(size, 6, generator=generator)], dim=1), labels


def train(dataset):
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    for _ in range(EPOCHS):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    return model


@torch.no_grad()
def predict(model, x):
    model.eval()
    return model(x).softmax(dim=1).max(dim=1)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(11)
    labelled_x, labelled_y = make_blobs(60, generator)
    unlabelled_x, _ = make_blobs(600, generator)
    test_x, test_y = make_blobs(600, generator)
    labelled = TensorDataset(labelled_x, labelled_y)

    model = train(ConcatDataset([labelled] * 8))  # as many steps as the later rounds have
    for number in range(ROUNDS):
        accuracy = (predict(model, test_x).indices == test_y).float().mean().item()
        confidence, pseudo = predict(model, unlabelled_x)
        sure = confidence > SURE
        print(f"round {number}: test accuracy {accuracy:.3f}, {int(sure.sum())} pseudo labels")
        model = train(ConcatDataset([labelled, TensorDataset(unlabelled_x[sure], pseudo[sure])]))
    print(f"test accuracy {(predict(model, test_x).indices == test_y).float().mean().item():.3f}")


if __name__ == "__main__":
    main()
