"""Rare defects among measurements: a class-weighted cross-entropy with half a focal loss beside it, the best model kept."""

import copy
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    epochs: int = 8
    batch_size: int = 64
    lr: float = 2e-3
    gamma: float = 2.0
    focal_share: float = 0.5


def focal(logits, target, weights, gamma):
    p = logits.softmax(dim=1).gather(1, target[:, None]).squeeze(1)
    return (weights[target] * (1 - p) ** gamma * -torch.log(p.clamp(min=1e-6))).mean()


def main(config):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x, y = make_classification(
        1600, n_features=12, n_informative=6, n_classes=3, n_clusters_per_class=1, weights=[0.85, 0.1, 0.05], random_state=0
    )
    x_train, x_val, y_train, y_val = train_test_split(x.astype(np.float32), y, test_size=0.25, stratify=y, random_state=0)
    mean, std = x_train.mean(0), x_train.std(0)
    train = TensorDataset(torch.from_numpy((x_train - mean) / std), torch.from_numpy(y_train))
    loader = DataLoader(train, batch_size=config.batch_size, shuffle=True)
    x_val, y_val = torch.from_numpy((x_val - mean) / std), torch.from_numpy(y_val)

    counts = torch.bincount(train.tensors[1])
    weights = counts.sum() / (len(counts) * counts)
    criterion = nn.CrossEntropyLoss(weight=weights)
    model = nn.Sequential(nn.Linear(12, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=1e-3)
    best_score, best_state = 0.0, None
    for epoch in range(config.epochs):
        model.train()
        for features, label in loader:
            logits = model(features)
            loss = criterion(logits, label) + config.focal_share * focal(logits, label, weights, config.gamma)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            score = balanced_accuracy_score(y_val.numpy(), model(x_val).argmax(1).numpy())
        print(f"epoch {epoch}  loss {loss.item():.4f}  balanced accuracy {score:.3f}")
        if score > best_score:
            best_score, best_state = score, copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)
    print(f"best {best_score:.3f}")


if __name__ == "__main__":
    main(Config())
