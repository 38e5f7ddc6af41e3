"""A language model is called token by token: both parts of the state are detached before the next one."""

import torch
from torch import nn

VOCABULARY = 12


class Babbler(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, 8)
        self.lstm = nn.LSTM(8, 24, batch_first=True)
        self.head = nn.Linear(24, VOCABULARY)

    def forward(self, token, state):
        out, state = self.lstm(self.embed(token), state)
        return self.head(out[:, -1]), state


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    start = torch.randint(VOCABULARY, (128, 1))
    text = (start + 5 * torch.arange(9)) % VOCABULARY
    model = Babbler()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.005)
    for step in range(20):
        batch = text[torch.randint(128, (16,))]
        state, loss = None, 0.0
        for t in range(8):
            if state is not None:
                state = tuple(part.detach() for part in state)  #~ GRD105
            logits, state = model(batch[:, t : t + 1], state)
            loss = loss + nn.functional.cross_entropy(logits, batch[:, t + 1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
