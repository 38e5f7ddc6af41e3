"""A tagger with classes last: log-softmax over the last axis, then flattened or transposed for nll_loss."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
embed, rnn, out = nn.Embedding(20, 12), nn.GRU(12, 16, batch_first=True), nn.Linear(16, 5)
opt = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *out.parameters()], lr=0.02)
for step in range(30):
    tokens = torch.randint(0, 20, (8, 7))
    tags = tokens % 5
    log_p = F.log_softmax(out(rnn(embed(tokens))[0]), dim=-1)
    loss = F.nll_loss(log_p.view(-1, 5), tags.view(-1)) + F.nll_loss(log_p.transpose(1, 2), tags)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
