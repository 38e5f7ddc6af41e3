"""A collate function takes the difference of two frames in 8 bits, and another one is a lambda in the dataset."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


def collate(items):
    before = np.stack([item[0] for item in items])
    after = np.stack([item[1] for item in items])
    motion = after - before  #~ DAT120
    return torch.from_numpy(motion.astype(np.float32) / 255), torch.tensor([item[2] for item in items])


torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(1)
frames = rng.integers(0, 256, (129, 6, 6), dtype=np.uint8)
data = [(frames[i], frames[i + 1], float(frames[i].mean() > frames[i + 1].mean())) for i in range(128)]
loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=collate)
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for motion, label in loader:
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(motion).squeeze(1), label)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
