"""Train in half precision with autocast and a gradient scaler, unscaling before the gradients are clipped."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

device = "cuda" if torch.cuda.is_available() else "cpu"
use_amp = True
num_epochs = 8


def make_model(in_size, out_size, width):
    return nn.Sequential(
        nn.Linear(in_size, width), nn.ReLU(),
        nn.Linear(width, width), nn.ReLU(),
        nn.Linear(width, out_size),
    )  # fmt: skip


data = torch.randn(1280, 16, device=device)
directions = torch.randn(16, 4, device=device)
targets = torch.sin(data @ directions / 4)
train_loader = DataLoader(TensorDataset(data[:1024], targets[:1024]), batch_size=32, shuffle=True)
valid_data, valid_targets = data[1024:], targets[1024:]

net = make_model(16, 4, width=64).to(device)
loss_fn = nn.MSELoss()
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
scaler = torch.amp.GradScaler(device, enabled=use_amp)


def validate():
    net.eval()
    with torch.no_grad(), torch.autocast(device_type=device, dtype=torch.float16, enabled=use_amp):
        output = net(valid_data)
        loss = loss_fn(output.float(), valid_targets)
    net.train()
    return loss.item()


print(f"valid loss before training {validate():.4f}")
for epoch in range(num_epochs):
    for input, target in train_loader:
        with torch.autocast(device_type=device, dtype=torch.float16, enabled=use_amp):
            output = net(input)
            loss = loss_fn(output.float(), target)
        scaler.scale(loss).backward()

        # Unscale first, so that the norm is that of the true gradients.
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)

        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
    if epoch % 2 == 1:
        print(f"epoch {epoch + 1}: train loss {loss.item():.4f} valid loss {validate():.4f}")
print(f"final scale {scaler.get_scale():.0f}")
