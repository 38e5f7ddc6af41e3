"""Train a GRU on a stream of characters cut into rows, batch first; its state is carried from window to window and cut off from the graph."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(2)
torch.set_num_threads(1)
SYLLABLES = ["ka", "to", "mi", "re", "su", "no", "lo", "pe"]
WINDOW, ROWS = 24, 16


def babble(count):
    order = torch.randperm(len(SYLLABLES)).tolist()
    spoken, at = [], 0
    for jump in torch.rand(count).tolist():
        at = order[at] if jump < 0.85 else int(jump * 1000) % len(SYLLABLES)
        spoken.append(SYLLABLES[at] + (" " if jump > 0.7 else ""))
    return "".join(spoken)


class CharGRU(nn.Module):
    def __init__(self, letters, width=48):
        super().__init__()
        self.embedding = nn.Embedding(letters, 16)
        self.gru = nn.GRU(16, width, batch_first=True)
        self.out = nn.Linear(width, letters)

    def forward(self, tokens, state=None):
        hidden, state = self.gru(self.embedding(tokens), state)
        return self.out(hidden), state


text = babble(9_000)
letters = sorted(set(text))
codes = {letter: code for code, letter in enumerate(letters)}
stream = torch.tensor([codes[letter] for letter in text])
length = (len(stream) - 1) // ROWS
inputs = stream[: ROWS * length].view(ROWS, length)
labels = stream[1 : ROWS * length + 1].view(ROWS, length)
cut = int(length * 0.9)

model = CharGRU(len(letters))
optimizer = torch.optim.RMSprop(model.parameters(), lr=3e-3)
for epoch in range(3):
    model.train()
    state, losses = None, []
    for start in range(0, cut - WINDOW + 1, WINDOW):
        logits, state = model(inputs[:, start : start + WINDOW], state)
        loss = F.cross_entropy(logits.transpose(1, 2), labels[:, start : start + WINDOW])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        state = state.detach()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        logits, _ = model(inputs[:, cut:])
        held_out = F.cross_entropy(logits.flatten(0, 1), labels[:, cut:].flatten())
    print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.3f}, held out {held_out:.3f}")

print(f"chance would be {torch.log(torch.tensor(float(len(letters)))):.3f}")
