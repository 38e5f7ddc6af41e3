"""Loaders with and without workers: the same batches in the same order, from the same seeds."""
import random

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
from torch.utils.data import DataLoader, Dataset, IterableDataset, WeightedRandomSampler, get_worker_info


class Noisy(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, index):
        information = get_worker_info()
        return index, torch.rand(()), random.random(), information.seed - information.id if information else 0, {"name": str(index)}

    def __getitems__(self, indices):
        return [self[index] for index in indices]


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(5))


def begin(number):
    random.seed(torch.initial_seed() % 1000)


if __name__ == "__main__":
    for options in ({}, {"shuffle": True}, {"num_workers": 2, "worker_init_fn": begin}, {"num_workers": 1, "shuffle": True, "persistent_workers": True, "worker_init_fn": begin}):
        loader = DataLoader(Noisy(), batch_size=6, **options)
        for _ in range(2):
            for indices, noise, dice, seeds, names in loader:
                print(indices.tolist(), noise.tolist(), [round(d.item(), 6) for d in dice] if options.get("num_workers") else "", seeds.tolist(), names["name"][0])
        print(len(loader), type(iter(loader)).__name__, loader.num_workers)
        del loader
    sampler = WeightedRandomSampler(torch.ones(20), 8)
    print([batch[0].tolist() for batch in DataLoader(Noisy(), batch_size=4, sampler=sampler)])
    print(list(DataLoader(Stream(), batch_size=2, drop_last=True)), list(DataLoader(range(3), batch_size=None)))
    iterator = iter(DataLoader([1, 2, 3], collate_fn=tuple))
    print(next(iterator), len(iterator), list(iterator), next(iterator, "end"))
    try:
        DataLoader([1], batch_size=1, batch_sampler=[[0]])
    except ValueError as error:
        print(error)
    loader = DataLoader([1, 2])
    try:
        loader.batch_size = 3
    except ValueError as error:
        print(error)
