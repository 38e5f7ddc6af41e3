"""Learns to sort short sequences with an encoder and a decoder, from samples that each of two workers makes up from a seed of its own."""

import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset, TensorDataset, get_worker_info

PAD, BOS, EOS, FIRST = 0, 1, 2, 3
SYMBOLS, LONGEST = 12, 8


def sample(generator):
    length = int(torch.randint(3, LONGEST + 1, (), generator=generator))
    source = torch.randint(FIRST, FIRST + SYMBOLS, (length,), generator=generator)
    padded = torch.full((LONGEST,), PAD)
    padded[:length] = source
    wanted = torch.full((LONGEST + 2,), PAD)
    wanted[0], wanted[1 : length + 1], wanted[length + 1] = BOS, source.sort().values, EOS
    return padded, wanted


class Made(IterableDataset):
    def __init__(self, count, seed):
        self.count, self.seed, self.epoch = count, seed, 0

    def __iter__(self):
        worker = get_worker_info()
        part, parts = (worker.id, worker.num_workers) if worker else (0, 1)
        generator = torch.Generator().manual_seed(self.seed + 1000 * self.epoch + part)
        for _ in range(self.count // parts):
            yield sample(generator)


class Sorter(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.source = nn.Embedding(FIRST + SYMBOLS, width, padding_idx=PAD)
        self.written = nn.Embedding(FIRST + SYMBOLS, width, padding_idx=PAD)
        self.places = nn.Parameter(torch.randn(LONGEST + 2, width) * 0.02)
        self.encoder = nn.TransformerEncoderLayer(width, 2, 64, dropout=0.1, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(width, 2, 64, dropout=0.1, batch_first=True)
        self.head = nn.Linear(width, FIRST + SYMBOLS)

    def forward(self, source, written):
        empty = source == PAD
        memory = self.encoder(self.source(source) + self.places[: source.shape[1]], src_key_padding_mask=empty)
        mask = torch.triu(torch.ones(written.shape[1], written.shape[1], dtype=torch.bool), 1)
        h = self.decoder(self.written(written) + self.places[: written.shape[1]], memory, tgt_mask=mask, memory_key_padding_mask=empty)
        return self.head(h)


def loss_of(model, source, wanted):
    logits = model(source, wanted[:, :-1])
    return nn.functional.cross_entropy(logits.flatten(0, 1), wanted[:, 1:].flatten(), ignore_index=PAD)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    stream = Made(576, seed=7)
    model = Sorter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(2):
        stream.epoch = epoch
        model.train()
        for source, wanted in DataLoader(stream, batch_size=32, num_workers=2):
            optimizer.zero_grad()
            loss = loss_of(model, source, wanted)
            loss.backward()
            optimizer.step()
        print(f"made up {epoch}: {loss.item():.4f}")
    generator = torch.Generator().manual_seed(99)
    pairs = [sample(generator) for _ in range(256)]
    sources, targets = torch.stack([pair[0] for pair in pairs]), torch.stack([pair[1] for pair in pairs])
    order = torch.randperm(256, generator=generator)
    data = TensorDataset(sources[order], targets[order])
    sampler = DistributedSampler(data, num_replicas=2, rank=1, seed=3)
    loader = DataLoader(data, batch_size=16, sampler=sampler)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for source, wanted in loader:
            optimizer.zero_grad()
            loss = loss_of(model, source, wanted)
            loss.backward()
            optimizer.step()
        print(f"stored {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
