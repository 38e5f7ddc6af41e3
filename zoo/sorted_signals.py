"""Tell machines by signals of unequal length, sorted inside the network, which returns its order so that the labels follow it."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader, TensorDataset


class MachineNet(nn.Module):
    def __init__(self, channels=2, hidden=20, machines=3):
        super().__init__()
        self.reader = nn.LSTM(channels, hidden, batch_first=True)
        self.norm = nn.LayerNorm(hidden)
        self.classifier = nn.Linear(hidden, machines)

    def forward(self, signals, lengths):
        order = lengths.argsort(descending=True)
        packed = pack_padded_sequence(signals[order], lengths[order], batch_first=True)
        _, (state, _) = self.reader(packed)
        return self.classifier(self.norm(state[-1])), order


def make_signals(count):
    machine = torch.randint(0, 3, (count,))
    lengths = torch.randint(8, 21, (count,))
    time = torch.arange(20.0)
    waves = torch.sin(time * (0.3 + 0.4 * machine[:, None]) + 6.28 * torch.rand(count, 1))
    signals = torch.stack([waves, waves.roll(1, dims=1)], dim=2) + 0.2 * torch.randn(count, 20, 2)
    signals[time >= lengths[:, None]] = 0.0
    return TensorDataset(signals, lengths, machine)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train = DataLoader(make_signals(600), batch_size=30, shuffle=True, drop_last=True)
    test = make_signals(200)
    net = MachineNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=5e-3)
    for epoch in range(6):
        net.train()
        for signals, lengths, machine in train:
            logits, order = net(signals, lengths)
            loss = F.cross_entropy(logits, machine[order])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
        net.eval()
        with torch.no_grad():
            signals, lengths, machine = test.tensors
            logits, order = net(signals, lengths)
            accuracy = (logits.argmax(1) == machine[order]).float().mean().item()
        print(f"epoch {epoch}: loss {loss.item():.3f} test accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
