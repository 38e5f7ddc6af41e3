"""One scaler, two optimizers: both are unscaled before either model is clipped."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
encoder, classifier = nn.Sequential(nn.Linear(7, 32), nn.ReLU()), nn.Linear(32, 3)
opt_a = torch.optim.SGD(encoder.parameters(), lr=0.1, momentum=0.9)
opt_b = torch.optim.Adam(classifier.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=512.0)
X = torch.randn(256, 7)
Y = (X @ torch.randn(7, 3)).argmax(1)
for idx in [i for _ in range(5) for i in torch.randperm(256).split(32)]:
    opt_a.zero_grad()
    opt_b.zero_grad()
    loss = F.cross_entropy(classifier(encoder(X[idx])), Y[idx])
    scaler.scale(loss).backward()
    scaler.unscale_(opt_a)
    scaler.unscale_(opt_b)
    nn.utils.clip_grad_norm_([*encoder.parameters(), *classifier.parameters()], 1.0)
    scaler.step(opt_a)
    scaler.step(opt_b)
    scaler.update()
print(f"loss {loss.item():.3f}")
