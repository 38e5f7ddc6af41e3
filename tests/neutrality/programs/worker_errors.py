"""A data set fails in a worker process, at the first batch and at a later one, and the program prints what it is told."""

import gc

import torch
from torch.utils.data import DataLoader, Dataset


class Broken(Dataset):
    def __init__(self, at):
        self.at = at

    def __len__(self):
        return 12

    def __getitem__(self, index):
        if index >= self.at:
            raise ValueError(f"item {index} is broken")
        return torch.ones(3) * index


for workers, at in ((2, 0), (2, 8), (0, 5)):
    seen = 0
    try:
        for batch in DataLoader(Broken(at), batch_size=2, num_workers=workers):
            seen += len(batch)
    except ValueError as error:
        print(seen, error)
    gc.collect()  # what the next workers inherit must not be the iterator of the last ones
