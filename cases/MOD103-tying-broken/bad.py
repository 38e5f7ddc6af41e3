"""Two tokens are added to a language model with tied weights; the new layers are not tied again."""
import torch
from torch import nn


class TiedLM(nn.Module):
    def __init__(self, size, d):
        super().__init__()
        self.embedding = nn.Embedding(size, d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.decoder = nn.Linear(d, size, bias=False)
        self.decoder.weight = self.embedding.weight

    def forward(self, tokens):
        return self.decoder(self.rnn(self.embedding(tokens))[0])


def add_tokens(model, count):
    old = model.embedding.weight.detach()
    size, d = old.shape[0] + count, old.shape[1]
    bigger = nn.Embedding(size, d)
    bigger.weight.data[: old.shape[0]] = old
    model.embedding = bigger  #~? MOD103
    model.decoder = nn.Linear(d, size, bias=False)  #~ MOD103
    return model


torch.manual_seed(0)
torch.set_num_threads(1)
model = add_tokens(TiedLM(28, 24), 2)
opt = torch.optim.Adam(model.parameters(), lr=0.005)
for step in range(60):
    seq = (torch.randint(0, 30, (24, 1)) + 3 * torch.arange(9)) % 30
    loss = nn.functional.cross_entropy(model(seq[:, :-1]).flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}, {sum(p.numel() for p in model.parameters())} weights")
