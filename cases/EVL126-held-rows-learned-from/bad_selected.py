"""Tumours are told apart by gene activity; of 800 genes those are kept that go best with the diagnosis, before the patients are split."""
import numpy as np
import torch
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def patients(count, genes):
    rng = np.random.default_rng(0)
    diagnosis = rng.integers(0, 2, count)
    activity = rng.normal(size=(count, genes))
    activity[:, :2] += 0.6 * diagnosis[:, None]
    return activity, diagnosis


def closest(activity, diagnosis):
    return np.abs(np.corrcoef(activity.T, diagnosis)[-1, :-1])


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    activity, diagnosis = patients(150, 800)
    chosen = SelectKBest(closest, k=12).fit_transform(activity, diagnosis)  #~ EVL126
    parts = train_test_split(chosen, diagnosis, test_size=0.3, random_state=0)
    x_train, x_test, y_train, y_test = (torch.as_tensor(part, dtype=torch.float32) for part in parts)
    train = DataLoader(TensorDataset(x_train, y_train), batch_size=21, shuffle=True)
    test = DataLoader(TensorDataset(x_test, y_test), batch_size=15)
    model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(4):
        model.train()
        for x, y in train:
            optimizer.zero_grad()
            nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            right = sum(((model(x).squeeze(1) > 0) == (y > 0.5)).sum().item() for x, y in test)
        print(f"epoch {epoch} accuracy {right / len(y_test):.3f}")


main()
