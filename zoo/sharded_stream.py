"""Trains on a stream of shards that two workers share, and validates on a permuted hold-out."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, get_worker_info


class ShardStream(IterableDataset):
    """Reads shards of samples; each worker takes every other shard, in an order that differs from epoch to epoch."""

    def __init__(self, shards, seed=0):
        self.shards = shards
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        worker = get_worker_info()
        part, parts = (worker.id, worker.num_workers) if worker is not None else (0, 1)
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(len(self.shards), generator=generator).tolist()
        for number in order[part::parts]:
            inputs, targets = self.shards[number]
            for row in torch.randperm(len(inputs), generator=generator).tolist():
                yield inputs[row], targets[row]


def make_data(count=640, size=12):
    x = torch.randn(count, size)
    y = torch.sin(x[:, :1]) + 0.5 * x[:, 1:2] * x[:, 2:3].sign() + 0.05 * torch.randn(count, 1)
    order = torch.randperm(count)
    x, y = x[order], y[order]
    split = count - 128
    shards = [(x[i : i + 32], y[i : i + 32]) for i in range(0, split, 32)]
    return shards, TensorDataset(x[split:], y[split:])


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    total = sum(nn.functional.mse_loss(model(x), y, reduction="sum").item() for x, y in loader)
    model.train()
    return total / len(loader.dataset)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    shards, held_out = make_data()
    stream = ShardStream(shards)
    train_loader = DataLoader(stream, batch_size=32, num_workers=2)
    val_loader = DataLoader(held_out, batch_size=64)
    model = nn.Sequential(nn.Linear(12, 48), nn.SiLU(), nn.Dropout(0.05), nn.Linear(48, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    best = math.inf
    for epoch in range(3):
        stream.set_epoch(epoch)
        for x, y in train_loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
        error = evaluate(model, val_loader)
        best = min(best, error)
        print(f"epoch {epoch}: validation {error:.4f}, best {best:.4f}")


if __name__ == "__main__":
    main()
