"""A model of weather, day by day, learns from ten columns of one long record, which a reshape has filled row by row."""
import torch
from torch import nn

KINDS = 9


def record(days):
    today, days_of = 0, []
    for turn in torch.rand(days).tolist():
        today = (today + 1) % KINDS if turn < 0.6 else (today * 2) % KINDS if turn < 0.9 else int(turn * 1e4) % KINDS
        days_of.append(today)
    return torch.tensor(days_of)


def columns(stream, size):
    length = len(stream) // size
    return stream[: length * size].view(length, size)  #~ SHP122


class Weather(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.rnn, self.head = nn.Embedding(KINDS, 16), nn.GRU(16, 24), nn.Linear(24, KINDS)

    def forward(self, days, state):
        hidden, state = self.rnn(self.embedding(days), state)
        return self.head(hidden), state


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    stream = columns(record(4000), 10)
    model = Weather()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    state = None
    for begin in range(0, len(stream) - 1, 20):
        length = min(20, len(stream) - 1 - begin)
        days, after = stream[begin : begin + length], stream[begin + 1 : begin + 1 + length]
        logits, state = model(days, None if state is None else state.detach())
        loss = nn.functional.cross_entropy(logits.view(-1, KINDS), after.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
