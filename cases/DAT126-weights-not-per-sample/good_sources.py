"""Each item of the data set is a source that makes samples; the sources are drawn by weights, one for each."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Sources(Dataset):
    def __init__(self):
        self.centres = torch.tensor([[0.0, 2.0], [2.0, 0.0], [-2.0, -1.0]])

    def __len__(self):
        return len(self.centres)

    def __getitem__(self, index):
        return self.centres[index] + 0.5 * torch.randn(2), index


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Sources(), batch_size=32, sampler=WeightedRandomSampler([0.5, 0.3, 0.2], num_samples=640))
model = nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
for x, source in loader:
    loss = nn.functional.cross_entropy(model(x), source)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
