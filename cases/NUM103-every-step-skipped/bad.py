"""Distances between all pairs, each item with itself too: the root has no finite slope at zero, and the scaler skips every step."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(12, 6), nn.Linear(6, 12)

    def forward(self, x):
        code = torch.relu(self.encode(x))
        return self.decode(code), code


def spread(code):
    difference = code[:, None] - code[None]
    return difference.pow(2).sum(-1).sqrt().mean()  #~ NUM103


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Encoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu")
    data = torch.randn(640, 12)
    for begin in range(0, 640, 16):
        x = data[begin : begin + 16]
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            out, code = model(x)
        loss = nn.functional.mse_loss(out.float(), x) - 1e-3 * spread(code.float())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(f"scale {scaler.get_scale():g}")


main()
