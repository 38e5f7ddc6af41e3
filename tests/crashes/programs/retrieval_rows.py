#~ crash: SHP201
#~ edit: targets[:12]
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
image_tower, text_tower = nn.Linear(32, 16), nn.Linear(24, 16)
images, texts = torch.randn(40, 32), torch.randn(40, 24)
targets = torch.arange(20)  #~ maker
for i in range(0, 40, 20):
    a = F.normalize(image_tower(images[i : i + 12]), dim=-1)  #~ maker
    b = F.normalize(text_tower(texts[i : i + 20]), dim=-1)
    scores = a @ b.T / 0.07  #~ maker
    loss = F.cross_entropy(scores, targets)  #~ fails
    loss.backward()
print("done")
