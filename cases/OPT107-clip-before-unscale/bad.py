"""Mixed precision training that clips the scaled gradients: the bound holds for numbers 65536 times too large."""
import torch
from torch import nn
import torch.nn.functional as F


def fit(model, data, epochs=4):
    x, y = data
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(epochs):
        for idx in torch.randperm(len(x)).split(25):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(x[idx])
            loss = F.cross_entropy(logits.float(), y[idx])
            scaler.scale(loss).backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  #~ OPT107
            scaler.step(optimizer)
            scaler.update()
    return (model(x).argmax(1) == y).float().mean().item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 10)
Y = (X @ torch.randn(10, 4)).argmax(1)
print(f"accuracy {fit(nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 4)), (X, Y)):.3f}")
