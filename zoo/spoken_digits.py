"""Digits spoken one after the other, recognised with CTC: padded recordings and targets, each with its length, greedy decoding."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

BLANK, NUM_DIGITS, NUM_BANDS = 0, 10, 12


class Recordings(Dataset):
    """Each digit sounds for some frames in bands of its own, with a pause behind it; digits are numbered from 1."""

    def __init__(self, count, seed):
        sounds = torch.randn(NUM_DIGITS, NUM_BANDS, generator=torch.Generator().manual_seed(7))
        g = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(count):
            digits = torch.randint(1, NUM_DIGITS + 1, (int(torch.randint(2, 6, (), generator=g)),), generator=g)
            frames = []
            for digit in digits.tolist():
                frames.append(sounds[digit - 1].expand(int(torch.randint(2, 5, (), generator=g)), -1))
                frames.append(torch.zeros(1, NUM_BANDS))
            sound = torch.cat(frames)
            self.items.append((sound + 0.3 * torch.randn(sound.shape, generator=g), digits))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def collate(batch):
    sounds, digits = zip(*batch)
    num_frames = torch.tensor([len(sound) for sound in sounds])
    num_digits = torch.tensor([len(each) for each in digits])
    return pad_sequence(sounds, batch_first=True), num_frames, pad_sequence(digits, batch_first=True, padding_value=BLANK), num_digits


class Recogniser(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(NUM_BANDS, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, NUM_DIGITS + 1)

    def forward(self, sounds, num_frames):
        packed = pack_padded_sequence(sounds, num_frames, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.head(hidden).log_softmax(-1)


def decode(log_probs, num_frames):
    for path, length in zip(log_probs.argmax(-1), num_frames.tolist()):
        collapsed = path[:length].unique_consecutive()
        yield collapsed[collapsed != BLANK].tolist()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train = DataLoader(Recordings(320, seed=1), batch_size=16, shuffle=True, collate_fn=collate)
    test = DataLoader(Recordings(80, seed=2), batch_size=40, collate_fn=collate)
    model = Recogniser()
    criterion = nn.CTCLoss(blank=BLANK, zero_infinity=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(5):
        model.train()
        total = 0.0
        for sounds, num_frames, digits, num_digits in train:
            log_probs = model(sounds, num_frames)
            loss = criterion(log_probs.transpose(0, 1), digits, num_frames, num_digits)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            total += loss.item()
        model.eval()
        right = count = 0
        with torch.no_grad():
            for sounds, num_frames, digits, num_digits in test:
                for found, row, length in zip(decode(model(sounds, num_frames), num_frames), digits, num_digits.tolist()):
                    right += found == row[:length].tolist()
                    count += 1
        print(f"epoch {epoch + 1} loss {total / len(train):.3f} exact {right / count:.2f}")


if __name__ == "__main__":
    main()
