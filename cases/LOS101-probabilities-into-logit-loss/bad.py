"""A text-like classifier whose last layer is a softmax, trained with CrossEntropyLoss."""
import torch
from torch import nn


class BagOfWords(nn.Module):
    def __init__(self, vocabulary, classes):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocabulary, 24)
        self.out = nn.Linear(24, classes)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, tokens):
        h = self.embed(tokens)
        return self.softmax(self.out(h))  #~ LOS101


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    topics = torch.randint(0, 6, (360,))
    tokens = topics[:, None] * 5 + torch.randint(0, 5, (360, 10))
    tokens = torch.where(torch.rand(360, 10) < 0.7, torch.randint(0, 30, (360, 10)), tokens)
    model = BagOfWords(30, 6)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(5):
        for idx in torch.randperm(360).split(36):
            optimizer.zero_grad()
            loss = criterion(model(tokens[idx]), topics[idx])  #~? LOS101
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        accuracy = (model(tokens).argmax(1) == topics).float().mean().item()
    print(f"accuracy {accuracy:.3f}")


main()
