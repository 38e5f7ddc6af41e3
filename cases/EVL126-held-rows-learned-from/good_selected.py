"""In each fold the sensors are ranked on the runs of training alone."""
import numpy as np
import torch
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from torch import nn


def sensors(runs=100, number=60):
    rng = np.random.default_rng(1)
    readings = 5 + rng.normal(size=(runs, number))
    return readings, readings[:, 0] - readings[:, 1] + rng.normal(size=runs)


def learn(x, y):
    model = nn.Sequential(nn.Linear(x.shape[1], 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(12):
        loss = nn.functional.mse_loss(model(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


torch.manual_seed(1)
torch.set_num_threads(1)
readings, outcome = sensors()
errors = []
for inside, held in KFold(4, shuffle=True, random_state=1).split(readings):
    ranking = RFE(LinearRegression(), n_features_to_select=8, step=4).fit(readings[inside], outcome[inside])
    x, x_held = (torch.from_numpy(ranking.transform(readings[rows])).float() for rows in (inside, held))
    y, y_held = (torch.from_numpy(outcome[rows]).float() for rows in (inside, held))
    model = learn(x, y)
    with torch.no_grad():
        errors.append((model(x_held).squeeze(1) - y_held).pow(2).mean().item())
print(f"error {np.mean(errors):.3f}")
