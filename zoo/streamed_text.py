"""A character model on a stream of text windows that workers split by files, fine-tuned on a sampler that is told its epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, get_worker_info

WORDS = "the a small red green old house tree river stands grows flows near under over and is not very".split()
LETTERS = sorted(set(" .".join(WORDS)))
CODE = {letter: number for number, letter in enumerate(LETTERS)}
LENGTH = 24


def make_files(count, generator):
    """Returns texts of random words, as files would hold them."""
    files = []
    for _ in range(count):
        words = [WORDS[i] for i in torch.randint(len(WORDS), (60,), generator=generator).tolist()]
        files.append(torch.tensor([CODE[letter] for letter in " ".join(words)]))
    return files


class TextStream(IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        worker = get_worker_info()
        mine = self.files if worker is None else self.files[worker.id :: worker.num_workers]
        for text in mine:
            for begin in range(0, len(text) - LENGTH - 1, LENGTH):
                window = text[begin : begin + LENGTH + 1]
                yield window[:-1], window[1:]


class Windows(Dataset):
    def __init__(self, files):
        self.windows = torch.cat([text[: len(text) // (LENGTH + 1) * (LENGTH + 1)].view(-1, LENGTH + 1) for text in files])

    def __len__(self):
        return len(self.windows)

    def __getitem__(self, index):
        return self.windows[index, :-1], self.windows[index, 1:]


class CharModel(nn.Module):
    def __init__(self, letters, width=32):
        super().__init__()
        self.embedding = nn.Embedding(letters, width)
        self.recurrent = nn.GRU(width, 64, batch_first=True)
        self.head = nn.Linear(64, letters)

    def forward(self, x):
        states, _ = self.recurrent(self.embedding(x))
        return self.head(states)


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(1)
    model = CharModel(len(LETTERS))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    stream = DataLoader(TextStream(make_files(12, generator)), batch_size=16, num_workers=2)
    for epoch in range(2):
        losses = [step(model, optimizer, x, y) for x, y in stream]
        print(f"pretraining {epoch}: {sum(losses) / len(losses):.4f}")
    data = Windows(make_files(6, generator))
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, batch_size=16, sampler=sampler)
    for group in optimizer.param_groups:
        group["lr"] = 1e-3
    for epoch in range(2):
        sampler.set_epoch(epoch)
        losses = [step(model, optimizer, x, y) for x, y in loader]
        print(f"fine-tuning {epoch}: {sum(losses) / len(losses):.4f}")


if __name__ == "__main__":
    main()
