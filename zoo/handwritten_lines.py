"""Pen strokes to letters with CTC: a vocabulary with the blank first, a space, some empty lines, sums over the batch by hand."""

import string

import torch
import torch.nn as nn

torch.manual_seed(1)
torch.set_num_threads(1)
VOCABULARY = ["<blank>", " ", *string.ascii_lowercase[:8]]
INDEX = {letter: index for index, letter in enumerate(VOCABULARY)}
SHAPES = torch.randn(len(VOCABULARY), 5)
WORDS = ["bad", "cab", "fed", "head", "age", "deaf", "chef", "beach"]


def write(line):
    """Returns the pen's movement for a line of text, at least two points long."""
    points = [SHAPES[0]]
    for letter in line:
        points += [SHAPES[INDEX[letter]]] * int(torch.randint(2, 4, ())) + [torch.zeros(5)]
    return torch.stack([*points, SHAPES[0]]) + 0.2 * torch.randn(len(points) + 1, 5)


def sample():
    count = int(torch.randint(0, 3, ()))
    return " ".join(WORDS[int(torch.randint(0, len(WORDS), ()))] for _ in range(count))


class PenReader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(5, 40, bidirectional=True)
        self.drop = nn.Dropout(0.1)
        self.letters = nn.Linear(80, len(VOCABULARY))

    def forward(self, strokes):
        return self.letters(self.drop(self.rnn(strokes)[0])).log_softmax(2)


model = PenReader()
ctc = nn.CTCLoss(reduction="none")
optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=140)
for step in range(140):
    lines = [sample() for _ in range(12)]
    strokes = [write(line) for line in lines]
    padded = nn.utils.rnn.pad_sequence(strokes)
    targets = torch.tensor([INDEX[letter] for line in lines for letter in line], dtype=torch.long)
    stroke_lengths = [len(stroke) for stroke in strokes]
    line_lengths = [len(line) for line in lines]
    losses = ctc(model(padded), targets, tuple(stroke_lengths), tuple(line_lengths))
    loss = losses.sum() / max(sum(line_lengths), 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if (step + 1) % 35 == 0:
        print(f"step {step + 1} loss per letter {loss.item():.3f}")

model.eval()
with torch.no_grad():
    wrong = 0
    for line in [sample() for _ in range(60)]:
        path = model(write(line).unsqueeze(1)).argmax(2).squeeze(1).unique_consecutive()
        wrong += "".join(VOCABULARY[index] for index in path.tolist() if index) != line
print(f"lines with a mistake: {wrong} of 60")
