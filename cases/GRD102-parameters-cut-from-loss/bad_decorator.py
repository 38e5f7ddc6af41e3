"""encode() was written for inference and still has its no_grad decorator when training calls it."""
import torch
from torch import nn


class SentenceModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 12)
        self.gru = nn.GRU(12, 24, batch_first=True)
        self.classify = nn.Linear(24, 2)

    @torch.no_grad()  #~ GRD102
    def encode(self, tokens):
        return self.gru(self.embedding(tokens))[1][0]  #~? GRD102

    def forward(self, tokens):
        return self.classify(self.encode(tokens))  #~? GRD102


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    tokens = torch.randint(0, 40, (300, 6))
    label = (tokens[:, -1] < tokens[:, 0]).long()
    model = SentenceModel()
    opt = torch.optim.AdamW(model.parameters(), lr=0.01)
    for epoch in range(5):
        for idx in torch.randperm(300).split(30):
            loss = nn.functional.cross_entropy(model(tokens[idx]), label[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.3f}")


main()
