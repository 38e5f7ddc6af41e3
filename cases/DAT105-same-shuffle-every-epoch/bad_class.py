"""A trainer for two replicas calls `set_epoch` on a sampler that its loader does not use."""
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Trainer:
    def __init__(self, data, rank=0, world=2):
        self.sampler = DistributedSampler(data, num_replicas=world, rank=rank)
        self.loader = DataLoader(data, batch_size=16, sampler=DistributedSampler(data, num_replicas=world, rank=rank))
        self.model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-2)

    def train_epoch(self):
        for x, y in self.loader:  #~ DAT105
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.optimizer.step()
        return loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            self.sampler.set_epoch(epoch)
            print(epoch, self.train_epoch())


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
Trainer(TensorDataset(X, X.sum(1, keepdim=True))).fit(3)
