"""Two towers that return every pair's similarity, normalised along both axes of pairs by the loss."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(12, 16), nn.GRU(6, 16, batch_first=True)
        self.scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, image, text):
        image = F.normalize(self.image(image), dim=-1)
        text = F.normalize(self.text(text)[0][:, -1], dim=-1)
        logits = self.scale.exp() * image @ text.t()
        return logits, logits.t()


hidden = torch.randn(256, 6)
images, texts = torch.cat([hidden, torch.randn(256, 6)], 1), hidden[:, None] + 0.1 * torch.randn(256, 5, 6)
model = TwoTowers()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(3):
    for image, text in DataLoader(TensorDataset(images, texts), batch_size=32, shuffle=True, drop_last=True):
        per_image, per_text = model(image, text)
        wanted = torch.arange(len(image))
        loss = (F.cross_entropy(per_image, wanted) + F.cross_entropy(per_text, wanted)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
