"""Rate short reports by a GRU over packed sequences that are sorted by length and put back in the order of the batch."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

WORDS = 40


def make_reports(count, generator):
    reports = []
    for length in torch.randint(3, 15, (count,), generator=generator).tolist():
        words = torch.randint(1, WORDS, (length,), generator=generator)
        reports.append((words, (words < 15).float().mean()))
    return reports


def collate(reports):
    words, scores = zip(*reports)
    return pad_sequence(words, batch_first=True), torch.tensor([len(each) for each in words]), torch.stack(scores)


class Rater(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width, padding_idx=0)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, words, lengths):
        sorted_lengths, order = torch.sort(lengths, descending=True)
        packed = pack_padded_sequence(self.embedding(words.index_select(0, order)), sorted_lengths, batch_first=True)
        _, hidden = self.gru(packed)
        _, restore = torch.sort(order)
        return self.head(hidden[-1].index_select(0, restore)).squeeze(1)


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        squared = [((model(words, lengths) - scores) ** 2).sum() for words, lengths, scores in loader]
    return (torch.stack(squared).sum() / len(loader.dataset)).item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(3)
    train = DataLoader(make_reports(640, generator), batch_size=32, shuffle=True, collate_fn=collate)
    valid = DataLoader(make_reports(200, generator), batch_size=100, collate_fn=collate)
    model = Rater()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    criterion = nn.MSELoss()
    for epoch in range(6):
        model.train()
        for words, lengths, scores in train:
            optimizer.zero_grad()
            loss = criterion(model(words, lengths), scores)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: valid error {evaluate(model, valid):.4f}")


if __name__ == "__main__":
    main()
