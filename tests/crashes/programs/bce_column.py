#~ crash: SHP201
#~ edit: squeeze(1)
#~ edit: squeeze(-1)
#~ edit: unsqueeze(1)
import torch
from torch import nn


class Churn(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_features, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.layers(x)


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.criterion = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def training_step(self, batch):
        x, y = batch
        prediction = self.model(x)  #~ maker
        return self.criterion(prediction, y)  #~ fails

    def fit(self, batches):
        for batch in batches:
            self.optimizer.zero_grad()
            loss = self.training_step(batch)
            loss.backward()
            self.optimizer.step()


torch.manual_seed(4)
batches = [(torch.randn(16, 10), (torch.rand(16) > 0.5).float()) for _ in range(4)]  #~ maker
Trainer(Churn(10)).fit(batches)
print("fitted")
