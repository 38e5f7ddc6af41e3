"""Fine-tune a pre-trained classifier on a shifted task by low-rank adapters, with everything else frozen."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class LoRALinear(nn.Module):
    """A frozen linear layer with a trainable low-rank update that starts at zero."""

    def __init__(self, base, rank=4, alpha=8.0):
        super().__init__()
        self.base = base
        for param in self.base.parameters():
            param.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.empty(rank, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.scaling = alpha / rank

    def forward(self, x):
        return self.base(x) + F.linear(F.linear(x, self.lora_A), self.lora_B) * self.scaling


class Classifier(nn.Module):
    def __init__(self, in_features=24, hidden=64, classes=5):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        x = F.gelu(self.fc1(x))
        x = F.gelu(self.norm(self.fc2(x)))
        return self.head(x)


def make_task(weights, count):
    x = torch.randn(count, weights.size(0))
    return TensorDataset(x, (x @ weights).argmax(dim=1))


def fit(model, parameters, dataset, epochs, lr):
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    optimizer = torch.optim.AdamW(parameters, lr=lr, weight_decay=0.0)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
    model.train()
    for _ in range(epochs):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    return loss.item()


@torch.no_grad()
def accuracy(model, dataset):
    model.eval()
    x, y = dataset.tensors
    return (model(x).argmax(dim=1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    source_weights = torch.randn(24, 5)
    target_weights = source_weights + 0.8 * torch.randn(24, 1) @ torch.randn(1, 5)
    source_train = make_task(source_weights, 1536)
    target_train, target_test = make_task(target_weights, 1024), make_task(target_weights, 512)

    model = Classifier()
    loss = fit(model, model.parameters(), source_train, epochs=8, lr=3e-3)
    print(f"pretraining loss {loss:.4f}")
    print(f"target accuracy before adapters {accuracy(model, target_test):.3f}")

    for param in model.parameters():
        param.requires_grad_(False)
    model.fc1 = LoRALinear(model.fc1)
    model.fc2 = LoRALinear(model.fc2)
    trainable = [param for param in model.parameters() if param.requires_grad]
    print(f"trainable parameters {sum(p.numel() for p in trainable)} of {sum(p.numel() for p in model.parameters())}")
    loss = fit(model, trainable, target_train, epochs=10, lr=5e-3)
    print(f"fine-tuning loss {loss:.4f}")
    print(f"target accuracy after adapters {accuracy(model, target_test):.3f}")


if __name__ == "__main__":
    main()
