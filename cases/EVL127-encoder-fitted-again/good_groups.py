"""Each part numbers its visits for itself, to average over them later; the doctors that the model looks up have numbers of their own."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

DOCTORS = {f"doctor {number}": number for number in range(40)}


class Visits(Dataset):
    def __init__(self, rows):
        self.visits = {visit: number for number, visit in enumerate(dict.fromkeys(visit for visit, _, _ in rows))}
        self.visit = torch.tensor([self.visits[visit] for visit, _, _ in rows])
        self.doctor = torch.tensor([DOCTORS[doctor] for _, doctor, _ in rows])
        self.cost = torch.tensor([cost for _, _, cost in rows])

    def __len__(self):
        return len(self.doctor)

    def __getitem__(self, row):
        return self.doctor[row], self.visit[row], self.cost[row]


class Cost(nn.Module):
    def __init__(self):
        super().__init__()
        self.doctor = nn.Embedding(len(DOCTORS), 1)

    def forward(self, doctor):
        return self.doctor(doctor).squeeze(1)


random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
usual = [random.gauss(0, 1) for _ in DOCTORS]
drawn = [(random.randrange(40), random.randrange(40)) for _ in range(900)]
rows = [(f"visit {visit}", f"doctor {doctor}", random.gauss(usual[doctor], 0.3)) for visit, doctor in drawn]
train, test = Visits(rows[:700]), Visits(rows[700:])
model = Cost()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(3):
    for doctor, _, cost in DataLoader(train, batch_size=70, shuffle=True):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(doctor), cost).backward()
        optimizer.step()
    errors = torch.zeros(len(test.visits))
    with torch.no_grad():
        for doctor, visit, cost in DataLoader(test, batch_size=50):
            errors.index_add_(0, visit, (model(doctor) - cost).abs())
    print(f"epoch {epoch} error of a visit {errors.mean().item():.3f}")
