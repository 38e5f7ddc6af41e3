"""Train a classifier in float16 with a constant loss scale that is taken out of the gradients by hand before they are clipped."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SCALE = 1024.0


def spirals(number, generator):
    angle = torch.rand(number, generator=generator) * 9
    label = torch.randint(3, (number,), generator=generator)
    turned = angle + label * 2.094
    points = torch.stack([angle * turned.cos(), angle * turned.sin()], 1) / 5
    return TensorDataset(points + 0.03 * torch.randn(number, 2, generator=generator), label)


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(8)
    train = DataLoader(spirals(1536, generator), batch_size=96, shuffle=True)
    valid = DataLoader(spirals(384, generator), batch_size=384)
    model = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for epoch in range(12):
        model.train()
        for points, label in train:
            with torch.autocast("cpu", dtype=torch.float16):
                loss = nn.functional.cross_entropy(model(points), label)
            (loss * SCALE).backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.grad.div_(SCALE)
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            if torch.isfinite(norm):
                optimizer.step()
            optimizer.zero_grad()
        if epoch % 4 == 3:
            model.eval()
            with torch.no_grad():
                right = sum((model(points).argmax(1) == label).sum().item() for points, label in valid)
            print(f"epoch {epoch + 1}: accuracy {right / 384:.3f}")


if __name__ == "__main__":
    main()
