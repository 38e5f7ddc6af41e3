"""Train a deep residual perceptron in bfloat16 autocast, accumulating gradients over four micro-batches."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

ACCUMULATION_STEPS = 4
EPOCHS = 4


class ResidualLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.down.bias)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


features = torch.randn(2560, 24)
mixing = torch.randn(24, 5)
classes = torch.tanh(features @ mixing + torch.roll(features, 1, dims=1) @ mixing * 0.5).argmax(1)
train_loader = DataLoader(TensorDataset(features[:2048], classes[:2048]), batch_size=16, shuffle=True)
valid_features, valid_classes = features[2048:], classes[2048:]

model = nn.Sequential(nn.Linear(24, 48), *[ResidualLayer(48) for _ in range(3)], nn.LayerNorm(48), nn.Linear(48, 5))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
updates = EPOCHS * len(train_loader) // ACCUMULATION_STEPS
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1.0, end_factor=0.05, total_iters=updates)

for epoch in range(EPOCHS):
    model.train()
    epoch_loss = 0.0
    optimizer.zero_grad()
    for step, (inputs, targets) in enumerate(train_loader):
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
            outputs = model(inputs)
            loss = criterion(outputs, targets)
        epoch_loss += loss.item()
        (loss / ACCUMULATION_STEPS).backward()
        if (step + 1) % ACCUMULATION_STEPS == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()

    model.eval()
    with torch.no_grad(), torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        predictions = model(valid_features).argmax(dim=1)
    accuracy = (predictions == valid_classes).float().mean().item()
    print(f"epoch {epoch + 1} loss {epoch_loss / len(train_loader):.4f} validation accuracy {accuracy:.3f}")
