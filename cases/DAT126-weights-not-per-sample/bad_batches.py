"""Images that are made as they are read: a batch sampler goes by three weights."""
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, WeightedRandomSampler


class Shapes(Dataset):
    def __len__(self):
        return 300

    def __getitem__(self, index):
        kind = 0 if index % 10 < 7 else 1 if index % 10 < 9 else 2
        image = 0.3 * torch.randn(1, 8, 8, generator=torch.Generator().manual_seed(index))
        image[0, 2 + kind : 4 + kind] += 1
        return image, kind


torch.manual_seed(0)
torch.set_num_threads(1)
shapes = Shapes()
draws = WeightedRandomSampler(torch.tensor([1 / 0.7, 1 / 0.2, 1 / 0.1]), num_samples=len(shapes))  #~ DAT126
loader = DataLoader(shapes, batch_sampler=BatchSampler(draws, 30, drop_last=False))
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(2):
    for image, kind in loader:
        loss = nn.functional.cross_entropy(model(image), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
