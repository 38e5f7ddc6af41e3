"""Training is resumed in the middle: model, optimizer and schedule are restored and run their second half."""
import io
import torch
from torch import nn

TOTAL = 60


def build():
    net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=0.02)
    return net, opt, torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.02, total_steps=TOTAL)


def run(net, opt, schedule, first, last):
    for _ in range(first, last):
        x = torch.randn(32, 4)
        loss = nn.functional.mse_loss(net(x), x.prod(1, keepdim=True))
        opt.zero_grad()
        loss.backward()
        opt.step()
        schedule.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
parts = build()
run(*parts, 0, TOTAL // 2)
blob = io.BytesIO()
torch.save([part.state_dict() for part in parts], blob)
blob.seek(0)
again = build()
for part, state in zip(again, torch.load(blob)):
    part.load_state_dict(state)
print(f"loss {run(*again, TOTAL // 2, TOTAL):.3f}, rate {again[2].get_last_lr()[0]:.2g}")
