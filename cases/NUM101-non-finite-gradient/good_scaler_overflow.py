"""float16 autocast: the first scaled gradients overflow, the scaler skips those steps and lowers its scale."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**22)
X = torch.randn(256, 16)
Y = (X @ torch.randn(16, 4)).argmax(1)
for idx in [i for _ in range(6) for i in torch.randperm(256).split(32)]:
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        logits = net(X[idx])
    loss = nn.functional.cross_entropy(logits.float(), Y[idx])
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
print(f"loss {loss.item():.3f}, scale 2**{torch.tensor(scaler.get_scale()).log2().item():.0f}")
