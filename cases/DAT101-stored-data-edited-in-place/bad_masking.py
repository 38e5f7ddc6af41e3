"""Masked language modelling writes the mask token into the stored corpus, until little of it is left."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

MASK = 0


class MaskedCorpus(Dataset):
    def __init__(self, corpus):
        self.corpus = corpus

    def __len__(self):
        return self.corpus.size(0)

    def __getitem__(self, i):
        tokens = self.corpus[i]
        labels = tokens.clone()
        hidden = torch.rand(tokens.shape) < 0.2
        hidden[torch.randint(0, len(tokens), (1,))] = True
        labels[~hidden] = -100
        tokens[hidden] = MASK  #~ DAT101
        return tokens, labels


torch.manual_seed(0)
torch.set_num_threads(1)
corpus = (torch.randint(0, 15, (96, 1)) + torch.arange(10)) % 15 + 1
loader = DataLoader(MaskedCorpus(corpus), batch_size=16, shuffle=True)
embed, mix, head = nn.Embedding(16, 16), nn.GRU(16, 16, batch_first=True, bidirectional=True), nn.Linear(32, 16)
opt = torch.optim.Adam([p for m in (embed, mix, head) for p in m.parameters()], lr=0.01)
for epoch in range(5):
    for tokens, labels in loader:
        logits = head(mix(embed(tokens))[0])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}, share of masks in the corpus {(corpus == MASK).float().mean().item():.2f}")
