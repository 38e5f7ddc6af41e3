"""Word dropout draws from a torch.Generator kept in the data set: both workers hide the same positions."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class WordDropout(Dataset):
    def __init__(self, sentences, labels, hide):
        self.sentences, self.labels, self.hide = sentences, labels, hide
        self.generator = torch.Generator().manual_seed(3)  #~ RNG101

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, i):
        tokens = self.sentences[i].clone()
        hidden = torch.randperm(len(tokens), generator=self.generator)[: self.hide]
        tokens[hidden] = 0
        return tokens, self.labels[i], hidden


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    sentences = torch.randint(1, 30, (144, 12))
    data = WordDropout(sentences, (sentences.float().mean(1) > 15).long(), hide=4)
    loader = DataLoader(data, batch_size=12, shuffle=True, num_workers=2)  #~? RNG101
    model = nn.Sequential(nn.EmbeddingBag(30, 8), nn.Linear(8, 2))
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    seen = []
    for epoch in range(2):
        for tokens, labels, hidden in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(tokens), labels)
            loss.backward()
            opt.step()
            seen.extend(map(tuple, hidden.tolist()))
    print(f"loss {loss.item():.3f}, {len(set(seen))} different masks of {len(seen)}")


if __name__ == "__main__":
    main()
