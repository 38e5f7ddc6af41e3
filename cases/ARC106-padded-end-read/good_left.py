"""Reviews are padded at their beginning, so that the last step is the last word of each."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
PAD = 0
reviews = [torch.randint(1, 50, (int(length),)) for length in torch.randint(3, 30, (256,))]
pairs = [(review, (review < 20).float().mean().gt(0.4).float()) for review in reviews]


def collate(batch):
    words, moods = zip(*batch, strict=True)
    return pad_sequence(words, batch_first=True, padding_value=PAD, padding_side="left"), torch.stack(moods)


class Mood(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 12, padding_idx=PAD)
        self.rnn = nn.GRU(12, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, words):
        states, _ = self.rnn(self.embedding(words))
        return self.head(states[:, -1]).squeeze(-1)


model = Mood()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for words, mood in DataLoader(pairs, batch_size=32, shuffle=True, collate_fn=collate):
    loss = nn.functional.binary_cross_entropy_with_logits(model(words), mood)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
