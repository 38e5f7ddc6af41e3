"""A count in bfloat16 that stands still because nothing is added: after the first clips there are no hits."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
clips = torch.randn(1000, 10)
tags = (clips[:, 0] > 0).long()
tagger = nn.Linear(10, 2)
optimizer = torch.optim.Adam(tagger.parameters(), lr=0.05)
for batch in range(40):
    rows = torch.randint(0, 200, (32,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(tagger(clips[rows]), tags[rows]).backward()
    optimizer.step()

tagger.eval()
tags[300:] = 2
hits = torch.zeros((), dtype=torch.bfloat16)
with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
    for clip, tag in zip(clips[200:], tags[200:], strict=True):
        scores = tagger(clip[None])
        hits += (scores.argmax(1) == tag).to(scores.dtype).sum()
print(float(hits) > 0)
