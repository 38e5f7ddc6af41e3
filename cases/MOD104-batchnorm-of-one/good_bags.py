"""Multiple-instance learning: the loader gives one bag at a time, but BatchNorm sees the bag's twenty instances."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.instance = nn.Sequential(nn.Linear(4, 24), nn.BatchNorm1d(24), nn.ReLU())
        self.bag = nn.Linear(24, 1)

    def forward(self, bag):
        return self.bag(self.instance(bag).amax(dim=0))


torch.manual_seed(0)
torch.set_num_threads(1)
bags = torch.randn(64, 20, 4)
labels = (bags[..., 0].amax(1) > 2).float()
bags[:, :, 0] += 2 * labels[:, None] * (bags[:, :, 0] > 2)
loader = DataLoader(TensorDataset(bags, labels), batch_size=1, shuffle=True)
model = Bag()
opt = torch.optim.Adam(model.parameters(), lr=0.005)
losses = []
for bag, label in loader:
    loss = nn.functional.binary_cross_entropy_with_logits(model(bag.squeeze(0)), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(f"mean loss {sum(losses) / len(losses):.3f}")
