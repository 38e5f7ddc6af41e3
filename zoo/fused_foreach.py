"""Train the same network with the loop, foreach and fused implementations of AdamW and compare the outcomes."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


def build_model():
    return nn.Sequential(
        nn.Linear(12, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 3)
    )


def train(dataset, **optimizer_options):
    torch.manual_seed(0)
    model = build_model()
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05, **optimizer_options)
    criterion = nn.CrossEntropyLoss()
    model.train()
    for _ in range(8):
        for x, y in loader:
            loss = criterion(model(x), y)
            optimizer.zero_grad(set_to_none=False)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=2.0)
            optimizer.step()
    return model, loss.item()


def accuracy(model, dataset):
    model.eval()
    x, y = dataset.tensors
    with torch.inference_mode():
        return (model(x).argmax(dim=-1) == y).double().mean().item()


torch.manual_seed(31)
inputs = torch.randn(1280, 12)
labels = torch.bucketize(inputs[:, 0] * inputs[:, 1] + inputs[:, 2], torch.tensor([-0.5, 0.5]))
train_set = TensorDataset(inputs[:1024], labels[:1024])
test_set = TensorDataset(inputs[1024:], labels[1024:])

models = {}
for name, options in {
    "for loop": {"foreach": False},
    "foreach": {"foreach": True},
    "fused": {"fused": True},
}.items():
    models[name], loss = train(train_set, **options)
    print(f"{name:8s} last loss {loss:.3f} test accuracy {accuracy(models[name], test_set):.3f}")

with torch.no_grad():
    reference = models["for loop"](inputs[1024:])
    gap = max((models[name](inputs[1024:]) - reference).abs().max().item() for name in ("foreach", "fused"))
print("implementations agree" if gap < 0.05 else f"implementations differ by {gap:.3f}")
