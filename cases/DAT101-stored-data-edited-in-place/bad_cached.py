"""Word images are drawn once and cached; a helper erases a random stripe of what comes from the cache, again in each epoch."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self, count, augment):
        self.count, self.augment = count, augment
        self.paths = [f"word-{number}.png" for number in range(count)]
        self._drawn = {}

    def __len__(self):
        return self.count

    def draw(self, path):
        number = int(path.removeprefix("word-").removesuffix(".png"))
        generator = torch.Generator().manual_seed(number)
        return torch.rand(8, 8, generator=generator) + (number % 4) * torch.eye(8) / 2

    def image(self, path):
        if path not in self._drawn:
            self._drawn[path] = self.draw(path)
        return self._drawn[path]

    def erase(self, image):
        begin = int(torch.randint(0, 7, ()))
        image[:, begin : begin + 2] = 0  #~ DAT101
        return image

    def __getitem__(self, number):
        image = self.image(self.paths[number])
        if self.augment:
            image = self.erase(image)
        return image.unsqueeze(0), number % 4


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Words(160, augment=True), batch_size=16, shuffle=True)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(4):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


main()
