"""A pretrained encoder is loaded in part, fine-tuned in half precision with clipping, saved, and resumed in a second run."""

import copy
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self, width=32, depth=2):
        super().__init__()
        self.embed = nn.Linear(12, width)
        self.blocks = nn.ModuleList([nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU()) for _ in range(depth)])

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = x + block(x)
        return x


class Classifier(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Linear(32, classes)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        return self.head(self.encoder(x))


class Average:
    """An exponential moving average of a model's weights."""

    def __init__(self, model, decay=0.95):
        self.module = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.module.parameters(), model.parameters(), strict=True):
            slow.mul_(self.decay).add_(fast, alpha=1 - self.decay)


def pretrained():
    source = Classifier(classes=10)
    return {f"module.{name}": value.clone() for name, value in source.state_dict().items()}


def evaluate(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    model.train()
    return hits / total


def save(path, model, average, optimizer, scheduler, scaler, epoch):
    torch.save(
        {
            "model": model.state_dict(),
            "average": average.module.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "scaler": scaler.state_dict(),
            "epoch": epoch,
        },
        path,
    )


def run(train, held, path, epochs):
    model = Classifier()
    if not path.exists():
        weights = {name.removeprefix("module."): value for name, value in pretrained().items() if "head" not in name}
        missing, unexpected = model.load_state_dict(weights, strict=False)
        assert all(name.startswith("head") for name in missing) and not unexpected
    for parameter in model.encoder.embed.parameters():
        parameter.requires_grad = False
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=3e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    average, first = Average(model), 0
    if path.exists():
        checkpoint = torch.load(path)
        model.load_state_dict(checkpoint["model"])
        average.module.load_state_dict(checkpoint["average"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scheduler.load_state_dict(checkpoint["scheduler"])
        scaler.load_state_dict(checkpoint["scaler"])
        first = checkpoint["epoch"]
    for epoch in range(first, epochs):
        for x, y in train:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(x)
            loss = nn.functional.cross_entropy(logits.float(), y)
            optimizer.zero_grad(set_to_none=True)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(trained, 1.0)
            scaler.step(optimizer)
            scaler.update()
            average.update(model)
        scheduler.step()
        save(path, model, average, optimizer, scheduler, scaler, epoch + 1)
    return evaluate(average.module, held)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(512, 12)
    y = x[:, :3].argmax(1)
    train = DataLoader(TensorDataset(x[:384], y[:384]), batch_size=32, shuffle=True)
    held = DataLoader(TensorDataset(x[384:], y[384:]), batch_size=64)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "last.pt"
        run(train, held, path, epochs=3)
        print(f"accuracy {run(train, held, path, epochs=6):.2f}")


if __name__ == "__main__":
    main()
