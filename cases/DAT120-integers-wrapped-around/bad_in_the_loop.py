"""A class-based trainer scales batches of 8-bit pixels in its loop, before it makes them floating."""
import torch
from torch import nn


class Trainer:
    def __init__(self, model, pixels, targets):
        self.model, self.pixels, self.targets = model, pixels, targets
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def epoch(self, size=32):
        for begin in range(0, len(self.pixels), size):
            batch = self.pixels[begin : begin + size] * 2  #~ DAT120
            inputs = batch.float() / 255
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.model(inputs).squeeze(1), self.targets[begin : begin + size])
            loss.backward()
            self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
pixels = torch.randint(0, 256, (320, 16), dtype=torch.uint8)
trainer = Trainer(nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)), pixels, pixels.float().mean(1) / 255)
for epoch in range(3):
    print(epoch, trainer.epoch())
