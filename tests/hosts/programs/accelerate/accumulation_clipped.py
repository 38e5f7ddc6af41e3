"""Accumulates over four batches inside `accelerator.accumulate`, clips, steps a schedule, evaluates with `gather_for_metrics`."""

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
x = torch.randn(320, 10)
y = (x[:, 0] * x[:, 1] > 0).long()
train = DataLoader(TensorDataset(x[:256], y[:256]), batch_size=16, shuffle=True)
held = DataLoader(TensorDataset(x[256:], y[256:]), batch_size=20)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=5 * len(train) // 4)
model, optimizer, train, held, scheduler = accelerator.prepare(model, optimizer, train, held, scheduler)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    model.train()
    total = 0.0
    for inputs, targets in train:
        with accelerator.accumulate(model):
            loss = criterion(model(inputs), targets)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        total += loss.detach().item()
    model.eval()
    right = []
    for inputs, targets in held:
        with torch.no_grad():
            predictions = model(inputs).argmax(dim=-1)
        predictions, targets = accelerator.gather_for_metrics((predictions, targets))
        right.append(predictions == targets)
    accelerator.print(f"{epoch} {total / len(train):.6f} {torch.cat(right).float().mean():.4f}")
