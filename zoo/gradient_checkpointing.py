"""Train a deep residual perceptron whose blocks are recomputed in the backward pass to save memory."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    def __init__(self, width, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear1 = nn.Linear(width, width)
        self.linear2 = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = torch.relu(self.linear1(self.norm(x)))
        return x + self.dropout(self.linear2(hidden))


class DeepNet(nn.Module):
    def __init__(self, in_features, width, depth, use_checkpointing=True):
        super().__init__()
        self.embed = nn.Linear(in_features, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1)
        self.use_checkpointing = use_checkpointing

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            if self.use_checkpointing and self.training:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return self.out(self.norm(x)).squeeze(-1)


def main():
    torch.manual_seed(21)
    torch.set_num_threads(1)
    inputs = torch.randn(1280, 10)
    targets = torch.sin(inputs[:, 0] * 2) + inputs[:, 1] * inputs[:, 2] + 0.1 * torch.randn(1280)
    targets = (targets - targets[:1024].mean()) / targets[:1024].std()
    loader = DataLoader(TensorDataset(inputs[:1024], targets[:1024]), batch_size=64, shuffle=True)

    model = DeepNet(in_features=10, width=48, depth=4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
    loss_fn = nn.MSELoss()

    for epoch in range(12):
        model.train()
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        scheduler.step()
        if epoch % 4 == 3:
            model.eval()
            with torch.no_grad():
                valid_loss = loss_fn(model(inputs[1024:]), targets[1024:]).item()
            print(f"epoch {epoch + 1}: train loss {total / len(loader):.4f} valid loss {valid_loss:.4f}")


if __name__ == "__main__":
    main()
