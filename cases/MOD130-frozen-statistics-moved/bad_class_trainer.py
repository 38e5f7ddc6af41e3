"""A trainer that freezes the backbone in its constructor and calls train() in each epoch."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.backbone(x).mean((2, 3)))


class Trainer:
    def __init__(self, model):
        self.model = model
        model.backbone.requires_grad_(False)
        model.backbone.eval()
        self.optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)

    def epoch(self, x, y):
        self.model.train()  #~ MOD130
        for idx in torch.randperm(len(x)).split(20):
            self.optimizer.zero_grad()
            loss = F.cross_entropy(self.model(x[idx]), y[idx])
            loss.backward()
            self.optimizer.step()


X = torch.randn(200, 1, 8, 8)
Y = (X.mean((1, 2, 3)) > 0).long()
trainer = Trainer(Classifier(nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU())))
for _ in range(5):
    trainer.epoch(X, Y)
