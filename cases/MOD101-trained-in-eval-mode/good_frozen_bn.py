"""Fine-tuning with frozen BatchNorm: after each train() the backbone's BatchNorm layers go back to eval on purpose."""
import torch
from torch import nn


class FineTuner(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(32, 2))

    def train(self, mode=True):
        super().train(mode)
        for m in self.backbone.modules():
            if isinstance(m, nn.BatchNorm1d):
                m.eval()
        return self

    def forward(self, x):
        return self.head(self.backbone(x))


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 8)
Y = (X[:, 0] > X[:, 1]).long()
net = FineTuner()
opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
for epoch in range(5):
    net.train()
    for idx in torch.randperm(160).split(20):
        loss = nn.functional.cross_entropy(net(X[:160][idx]), Y[:160][idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        accuracy = (net(X[160:]).argmax(1) == Y[160:]).float().mean().item()
print(f"accuracy {accuracy:.3f}")
