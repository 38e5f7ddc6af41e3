"""A symmetric contrastive loss by hand: log-softmax over the texts and over the images of the batch, and one-hot pairs."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
image, text = nn.Linear(6, 16), nn.Linear(4, 16)
mixing = torch.randn(4, 6)
opt = torch.optim.Adam([*image.parameters(), *text.parameters()], lr=0.01)
for _ in range(40):
    captions = torch.randn(24, 4)
    z, c = F.normalize(image(captions @ mixing), dim=1), F.normalize(text(captions), dim=1)
    logits, pairs = z @ c.T / 0.1, torch.eye(24)
    by_text, by_image = F.log_softmax(logits, dim=1), F.log_softmax(logits, dim=0)
    loss = -((pairs * by_text).sum() + (pairs * by_image).sum()) / 48
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
