"""A tagger with padded sentences: four micro-batches a step, each with the mean over its own tokens."""
import torch
from torch import nn
import torch.nn.functional as F

PAD, VOCABULARY, TAGS, ACCUMULATE = 0, 20, 5, 4


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, 12, padding_idx=PAD)
        self.rnn = nn.GRU(12, 16, batch_first=True)
        self.out = nn.Linear(16, TAGS)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[0])


def make_batch(longest):
    lengths = torch.randint(2, longest + 1, (6,))
    tokens = torch.randint(1, VOCABULARY, (6, 12))
    tokens[torch.arange(12) >= lengths[:, None]] = PAD
    labels = (tokens % TAGS).masked_fill(tokens == PAD, -100)
    return tokens, labels


torch.manual_seed(0)
torch.set_num_threads(1)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
optimizer.zero_grad()
for number in range(80):
    tokens, labels = make_batch(4 if number % 2 else 12)
    loss = F.cross_entropy(model(tokens).flatten(0, 1), labels.flatten())  #~ LOS111
    (loss / ACCUMULATE).backward()
    if (number + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
print(f"loss {loss.item():.3f}")
