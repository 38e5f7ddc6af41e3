"""Train an autoencoder whose decoder reuses the transposed weights of its encoder."""

import torch
import torch.nn.functional as F
from torch import nn


class TiedAutoencoder(nn.Module):
    def __init__(self, in_features, hidden, code):
        super().__init__()
        self.encoder1 = nn.Linear(in_features, hidden)
        self.encoder2 = nn.Linear(hidden, code)
        self.decoder_bias1 = nn.Parameter(torch.zeros(hidden))
        self.decoder_bias2 = nn.Parameter(torch.zeros(in_features))

    def encode(self, x):
        return self.encoder2(F.elu(self.encoder1(x)))

    def decode(self, code):
        hidden = F.elu(F.linear(code, self.encoder2.weight.t(), self.decoder_bias1))
        return F.linear(hidden, self.encoder1.weight.t(), self.decoder_bias2)

    def forward(self, x):
        return self.decode(self.encode(x))


def make_data(count, in_features, factors):
    """Points near a curved sheet of few dimensions."""
    latent = torch.randn(count, factors)
    mixing = torch.randn(factors, in_features)
    return torch.tanh(latent @ mixing / factors**0.5) + 0.05 * torch.randn(count, in_features)


def train(model, train_x, optimizer, batch_size=64):
    order = torch.randperm(len(train_x))
    total = 0.0
    for batch in order.split(batch_size):
        x = train_x[batch]
        loss = F.mse_loss(model(x), x)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item() * len(batch)
    return total / len(train_x)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(2)
    data = make_data(1536, in_features=32, factors=4)
    data = (data - data[:1280].mean(dim=0)) / data[:1280].std(dim=0)
    train_x, test_x = data[:1280], data[1280:]
    model = TiedAutoencoder(in_features=32, hidden=24, code=6)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.93)
    for epoch in range(20):
        train_loss = train(model, train_x, optimizer)
        scheduler.step()
        if epoch % 5 == 4:
            with torch.no_grad():
                test_loss = F.mse_loss(model(test_x), test_x).item()
            print(f"epoch {epoch + 1:2d} train {train_loss:.4f} test {test_loss:.4f}")
