#~ crash: SHP201
#~ edit: in_features=128
import torch
from torch import nn


class TextClassifier(nn.Module):
    def __init__(self, vocab_size=500, d_model=128, num_classes=10):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead=4, dim_feedforward=256, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.head = nn.Linear(768, num_classes)  #~ maker

    def forward(self, ids):
        hidden = self.encoder(self.embed(ids))
        pooled = hidden.mean(dim=1)  #~ maker
        return self.head(pooled)  #~ fails


def train():
    torch.manual_seed(1)
    model = TextClassifier()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    criterion = nn.CrossEntropyLoss()
    for step in range(4):
        ids = torch.randint(0, 500, (64, 12))
        y = torch.randint(0, 10, (64,))
        logits = model(ids)
        loss = criterion(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}")


if __name__ == "__main__":
    train()
