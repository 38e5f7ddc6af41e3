"""A scaler of scikit-learn is fitted and applied to the rows of training; the rows that are kept back go in as they were measured."""

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Trial:
    def __init__(self):
        draws = np.random.default_rng(0)
        rows = draws.normal(size=(600, 12)) * np.linspace(2, 80, 12) + np.linspace(10, 300, 12)
        wanted = ((rows - rows.mean(0)) / rows.std(0)).sum(1)
        self.scaler = StandardScaler()
        first, second, self.first_wanted, self.second_wanted = train_test_split(rows, wanted, test_size=0.25, random_state=0)
        self.first = torch.tensor(self.scaler.fit_transform(first), dtype=torch.float32)
        self.second = torch.tensor(second, dtype=torch.float32)
        self.model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 1))

    def train(self):
        optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-3)
        wanted = torch.tensor(self.first_wanted, dtype=torch.float32)
        for step in range(60):
            rows = torch.randint(0, len(self.first), (64,))
            loss = nn.functional.mse_loss(self.model(self.first[rows]).squeeze(1), wanted[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def error(self):
        self.model.eval()
        with torch.no_grad():
            told = self.model(self.second).squeeze(1)  #~ EVL102
        return (told - torch.tensor(self.second_wanted)).abs().mean().item()


trial = Trial()
trial.train()
print(f"error {trial.error():.3f}")
