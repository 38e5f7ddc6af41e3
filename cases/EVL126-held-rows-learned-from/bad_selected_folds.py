"""The yield of a reactor is predicted from many sensors; in each fold the sensors are ranked on all runs, and only then scaled."""
import numpy as np
import torch
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from torch import nn


class Sensors:
    def __init__(self, runs=100, sensors=60):
        rng = np.random.default_rng(1)
        self.readings = 5 + rng.normal(size=(runs, sensors))
        self.outcome = self.readings[:, 0] - self.readings[:, 1] + rng.normal(size=runs)


def scaled(x_train, x_held):
    mean, deviation = x_train.mean(0), x_train.std(0)
    return [torch.from_numpy((x - mean) / deviation).float() for x in (x_train, x_held)]


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
data = Sensors()
errors = []
for inside, held in KFold(4, shuffle=True, random_state=1).split(data.readings):
    ranking = RFE(LinearRegression(), n_features_to_select=8, step=4)
    ranking.fit(X=data.readings, y=data.outcome)  #~ EVL126
    x, x_held = scaled(ranking.transform(data.readings[inside]), ranking.transform(data.readings[held]))
    y, y_held = (torch.from_numpy(data.outcome[rows]).float() for rows in (inside, held))
    model = learn(x, y)
    with torch.no_grad():
        errors.append((model(x_held).squeeze(1) - y_held).pow(2).mean().item())
print(f"error {np.mean(errors):.3f}")
