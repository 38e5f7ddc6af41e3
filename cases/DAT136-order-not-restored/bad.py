"""A network for words of different lengths sorts the words for packing, and its answers stay sorted when they meet the labels."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


class Accents(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(27, 12, padding_idx=0)
        self.reader = nn.GRU(12, 20, batch_first=True)
        self.stress = nn.Linear(20, 4)

    def forward(self, words, lengths):
        lengths, order = lengths.sort(descending=True)
        packed = pack_padded_sequence(self.letters(words[order]), lengths, batch_first=True)
        _, state = self.reader(packed)
        return self.stress(state[-1])  #~ DAT136


def collate(items):
    words, labels = zip(*items)
    return pad_sequence(words, batch_first=True), torch.tensor([len(word) for word in words]), torch.stack(labels)


words = [torch.randint(1, 27, (int(length),)) for length in torch.randint(3, 11, (240,))]
items = [(word, word[0] % 4) for word in words]
model = Accents()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    for batch, lengths, labels in DataLoader(items, batch_size=24, shuffle=True, collate_fn=collate):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch, lengths), labels)
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
