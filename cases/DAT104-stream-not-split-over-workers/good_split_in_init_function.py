"""The stream is split by the loader's worker_init_fn, as PyTorch's documentation does it."""
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(0)
        self.X = torch.randn(count, 8, generator=generator)
        self.begin, self.end = 0, count

    def __iter__(self):
        for i in range(self.begin, self.end):
            yield self.X[i], self.X[i].sum().reshape(1)


def split(identifier):
    worker = get_worker_info()
    each = (worker.dataset.end - worker.dataset.begin) // worker.num_workers
    worker.dataset.begin = identifier * each
    worker.dataset.end = worker.dataset.begin + each


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Stream(256), batch_size=16, num_workers=2, worker_init_fn=split)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
