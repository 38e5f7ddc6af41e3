"""A pointer mixture: the log of a sum of two softmaxes goes into nll_loss, which is right."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
vocabulary = 12
embed = nn.Embedding(vocabulary, 16)
head, copy_query, switch = nn.Linear(16, vocabulary), nn.Linear(16, 16), nn.Linear(16, 1)
params = [p for m in (embed, head, copy_query, switch) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=0.02)
for _ in range(50):
    context = torch.randint(0, vocabulary, (32, 6))
    target = context[:, 0]
    memory = embed(context)
    state = memory.mean(1)
    p_vocab = F.softmax(head(state), dim=1)
    attention = F.softmax((memory @ copy_query(state).unsqueeze(2)).squeeze(2), dim=1)
    p_copy = torch.zeros(32, vocabulary).scatter_add(1, context, attention)
    mix = torch.sigmoid(switch(state))
    p = mix * p_vocab + (1 - mix) * p_copy
    loss = F.nll_loss(torch.log(p + 1e-9), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
