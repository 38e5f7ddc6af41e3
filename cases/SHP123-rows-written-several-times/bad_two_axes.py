"""Points of a laser scan are drawn into the cells of a bird's-eye grid, where several points fall into one cell."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, number):
        g = torch.Generator().manual_seed(number)
        side = number % 2
        points = 0.35 * torch.randn(80, 3, generator=g) + torch.tensor([0.8 * side - 0.4, 0.0, 0.0])
        return points.clamp(-0.99, 0.99), side


class Pillars(nn.Module):
    def __init__(self, cells=8, width=6):
        super().__init__()
        self.cells = cells
        self.point = nn.Sequential(nn.Linear(3, width), nn.ReLU())
        self.net = nn.Sequential(nn.Conv2d(width, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * cells * cells, 2))

    def forward(self, points):
        features = self.point(points)
        cell = ((points[..., :2] + 1) / 2 * self.cells).long()
        grid = features.new_zeros(len(points), self.cells, self.cells, features.shape[-1])
        for scan in range(len(points)):
            rows, columns = cell[scan].unbind(1)
            grid[scan][rows, columns] += features[scan]  #~ SHP123
        return self.net(grid.permute(0, 3, 1, 2))


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Pillars()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for points, side in DataLoader(Scans(), batch_size=8, shuffle=True):
        loss = nn.functional.cross_entropy(model(points), side)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")
