"""Scans and the outlines in them go through one function each, which draws anew whether it turns what it is given."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
draws = np.random.default_rng(0)


def turned(array):
    if draws.random() < 0.5:
        array = array[::-1]  #~ DAT133
    return np.ascontiguousarray(array)


class Scans(Dataset):
    def __init__(self, count, side=14):
        centres = draws.integers(3, side - 3, size=(count, 2))
        places = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), -1)
        self.outlines = np.stack([(np.abs(places - centre).sum(-1) < 4) for centre in centres]).astype(np.uint8)
        self.scans = (self.outlines * 60 + draws.integers(0, 40, size=self.outlines.shape)).astype(np.uint8)
        self.turn = turned

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, number):
        scan = torch.from_numpy(self.turn(self.scans[number])).float().unsqueeze(0) / 255
        outline = torch.from_numpy(self.turn(self.outlines[number])).float().unsqueeze(0)
        return {"scan": scan, "outline": outline}


model = nn.Sequential(nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(3):
    for batch in DataLoader(Scans(160), batch_size=20, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch["scan"]), batch["outline"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
