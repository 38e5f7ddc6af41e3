"""Customers are described by figures of very different sizes, whose columns are standardised."""
import numpy as np
import torch
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def customers(count):
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 80, count)
    income = rng.normal(42_000, 9_000, count)
    children = rng.poisson(1.5, count) + rng.random(count)
    visits = rng.uniform(1, 30, count)
    rating = rng.uniform(1, 5, count)
    years = rng.uniform(0.5, 20, count)
    stays = (rating + 0.05 * years - 0.3 * children > 3).astype(np.float32)
    return np.stack([age, income, children, visits, rating, years], axis=1), stays


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    features, stays = customers(300)
    features = StandardScaler().fit_transform(features)
    data = TensorDataset(torch.tensor(features, dtype=torch.float32), torch.tensor(stays))
    loader = DataLoader(data, batch_size=20, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
