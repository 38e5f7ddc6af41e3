"""The hits are counted as whole numbers of Python's."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
clips = torch.randn(1200, 10)
tags = (clips[:, 0] > 0).long()
tagger = nn.Linear(10, 2)
optimizer = torch.optim.Adam(tagger.parameters(), lr=0.05)
for batch in range(40):
    rows = torch.randint(0, 400, (32,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(tagger(clips[rows]), tags[rows]).backward()
    optimizer.step()

tagger.eval()
hits = 0
with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
    for clip, tag in zip(clips[400:], tags[400:], strict=True):
        scores = tagger(clip[None])
        hits += (scores.argmax(1) == tag).sum().item()
print(hits > 0)
