"""A model of several melodies goes on from bar to bar with its state, while the loader puts the bars in random order."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Bars(Dataset):
    """Bar by bar of all melodies at once."""

    def __init__(self, melodies, length):
        self.melodies, self.length = melodies, length

    def __len__(self):
        return (self.melodies.shape[1] - 1) // self.length

    def __getitem__(self, number):
        begin = number * self.length
        notes = self.melodies[:, begin : begin + self.length + 1]
        return notes[:, :-1], notes[:, 1:]


class Player(nn.Module):
    def __init__(self, notes, width=24):
        super().__init__()
        self.embedding = nn.Embedding(notes, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Linear(width, notes)

    def forward(self, notes, state=None):
        hidden, state = self.lstm(self.embedding(notes), state)
        return self.head(hidden), state


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    steps = torch.randint(-2, 3, (10, 241)).cumsum(1) % 12
    bars = DataLoader(Bars(steps, 8), batch_size=None, shuffle=True)  #~ ARC107
    player = Player(12)
    optimizer = torch.optim.Adam(player.parameters(), lr=0.01)
    for epoch in range(3):
        state = None
        for given, wanted in bars:
            if state is not None:
                state = tuple(part.detach() for part in state)
            logits, state = player(given, state)
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


main()
