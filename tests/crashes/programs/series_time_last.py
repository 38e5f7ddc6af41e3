#~ crash: SHP201
#~ edit: permute(0, 2, 1)
#~ edit: transpose(1, 2)
import argparse

import torch
from torch import nn


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--channels", type=int, default=9)
    return p.parse_args()


class HAR(nn.Module):
    """Activity from accelerometer windows of 128 samples."""

    def __init__(self, channels, n_classes=6):
        super().__init__()
        self.conv = nn.Conv1d(channels, 32, kernel_size=7, stride=2)  #~ maker
        self.fc = nn.Linear(32, n_classes)

    def forward(self, x):
        h = torch.relu(self.conv(x))  #~ fails
        return self.fc(h.mean(dim=-1))


def main():
    args = get_args()
    torch.manual_seed(0)
    windows = torch.randn(60, 128, args.channels)
    activity = torch.randint(0, 6, (60,))
    dataset = torch.utils.data.TensorDataset(windows, activity)
    loader = torch.utils.data.DataLoader(dataset, batch_size=20, shuffle=True)
    model = HAR(args.channels)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(args.epochs):
        for x, y in loader:  #~ maker
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}")


if __name__ == "__main__":
    main()
