"""A trainer whose validation loops over the wrong one of its two loaders, which worker processes read."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self, size, seed):
        generator = torch.Generator().manual_seed(seed)
        self.phase = torch.rand(size, generator=generator)

    def __len__(self):
        return len(self.phase)

    def __getitem__(self, index):
        t = torch.linspace(0, 6, 32)
        return torch.sin(t + 6 * self.phase[index]), self.phase[index]


class Trainer:
    def __init__(self, model):
        self.train_loader = DataLoader(Waves(160, 0), batch_size=20, shuffle=True, num_workers=2)
        self.valid_loader = DataLoader(Waves(40, 1), batch_size=20)
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def run(self):
        for epoch in range(2):
            for wave, phase in self.train_loader:
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(wave).squeeze(1), phase).backward()
                self.optimizer.step()
            print(epoch, self.validate())

    @torch.no_grad()
    def validate(self):
        losses = [nn.functional.mse_loss(self.model(wave).squeeze(1), phase) for wave, phase in self.train_loader]  #~ EVL122
        return torch.stack(losses).mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    Trainer(nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))).run()
