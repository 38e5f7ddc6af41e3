"""Columns that hardly vary are dropped, and the rest is turned to its main axes, before the split: no target is read for that."""
import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
diagnosis = rng.integers(0, 2, 150)
activity = rng.normal(size=(150, 60)) * rng.uniform(0, 2, 60)
activity[:, :6] += 0.9 * diagnosis[:, None]
varying = VarianceThreshold(0.1).fit_transform(activity, diagnosis)
parts = train_test_split(PCA(10).fit_transform(varying), diagnosis, test_size=0.3, random_state=0)
x_train, x_test, y_train, y_test = (torch.as_tensor(part, dtype=torch.float32) for part in parts)
train = DataLoader(TensorDataset(x_train, y_train), batch_size=21, shuffle=True)
model = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = ((model(x_test).squeeze(1) > 0) == (y_test > 0.5)).float().mean().item()
    print(f"epoch {epoch} accuracy {right:.3f}")
