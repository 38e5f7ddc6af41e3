"""Genes are chosen by all patients for the model that goes into use, whose fit to these very patients is printed, and nothing else."""
import numpy as np
import torch
from sklearn.feature_selection import SelectKBest, f_classif
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)
diagnosis = rng.integers(0, 2, 150)
activity = rng.normal(size=(150, 300))
activity[:, :2] += 0.9 * diagnosis[:, None]
chosen = SelectKBest(f_classif, k=12).fit_transform(activity, diagnosis)
x_all, y_all = torch.tensor(chosen, dtype=torch.float32), torch.tensor(diagnosis, dtype=torch.float32)
loader = DataLoader(TensorDataset(x_all, y_all), batch_size=25, shuffle=True)
model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum(((model(x).squeeze(1) > 0) == (y > 0.5)).sum().item() for x, y in loader)
    print(f"epoch {epoch} fits {right / 150:.3f}")
