"""A reader of short numbers whose blank has an index of its own, behind the digits."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, number):
        g = torch.Generator().manual_seed(number)
        digits = torch.randint(0, 10, (4,), generator=g)
        columns = nn.functional.one_hot(digits.repeat_interleave(4), 10) + 0.2 * torch.randn(16, 10, generator=g)
        return columns, digits


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 11))
    criterion = nn.CTCLoss(blank=10)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for columns, digits in DataLoader(Numbers(), batch_size=12, shuffle=True):
        log_probs = net(columns).log_softmax(2).transpose(0, 1)
        frames, lengths = torch.full((len(digits),), 16), torch.full((len(digits),), 4)
        loss = criterion(log_probs, digits, frames, lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
