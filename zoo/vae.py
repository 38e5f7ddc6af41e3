"""Train a variational autoencoder on binary bar images, as in the PyTorch examples."""

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, random_split

torch.manual_seed(1)
torch.set_num_threads(1)


class BarImages(torch.utils.data.Dataset):
    """Grey images of 10 by 10 pixels in which each row and column is lit with a chance of one in five."""

    def __init__(self, count):
        rows = torch.rand(count, 10, 1) < 0.2
        columns = torch.rand(count, 1, 10) < 0.2
        lit = (rows | columns).float()
        self.images = 0.05 + 0.9 * lit * (0.7 + 0.3 * torch.rand(count, 10, 10))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index]


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(100, 96)
        self.fc21 = nn.Linear(96, 12)
        self.fc22 = nn.Linear(96, 12)
        self.fc3 = nn.Linear(12, 96)
        self.fc4 = nn.Linear(96, 100)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 100))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 100), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=2e-3)
train_set, test_set = random_split(BarImages(2304), [2048, 256])
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = DataLoader(test_set, batch_size=256)


def train():
    model.train()
    train_loss = 0
    for data in train_loader:
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    return train_loss / len(train_set)


def test():
    model.eval()
    test_loss = 0
    with torch.no_grad():
        for data in test_loader:
            recon_batch, mu, logvar = model(data)
            test_loss += loss_function(recon_batch, data, mu, logvar).item()
    return test_loss / len(test_set)


for epoch in range(1, 13):
    train_loss = train()
    test_loss = test()
    if epoch % 4 == 1 or epoch == 12:
        print(f"====> Epoch: {epoch} Average loss: {train_loss:.3f} Test set loss: {test_loss:.3f}")

with torch.no_grad():
    sample = model.decode(torch.randn(64, 12))
print(f"mean brightness of samples {sample.mean().item():.3f}, of data {train_set.dataset.images.mean().item():.3f}")
