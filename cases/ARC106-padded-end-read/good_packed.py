"""The recordings are packed before the LSTM, which ends each of them where it ends."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1)
torch.set_num_threads(1)


class Recordings(Dataset):
    def __init__(self, number):
        self.kinds = torch.randint(0, 3, (number,))
        self.lengths = torch.randint(4, 25, (number,)).tolist()
        self.signals = [torch.randn(length, 4) + kind for length, kind in zip(self.lengths, self.kinds, strict=True)]

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, index):
        return {"signal": self.signals[index], "kind": self.kinds[index]}


def padded(items):
    return {
        "signals": pad_sequence([item["signal"] for item in items]),
        "lengths": torch.tensor([len(item["signal"]) for item in items]),
        "kinds": torch.stack([item["kind"] for item in items]),
    }


class Listener(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.lift = nn.Linear(4, 8)
        self.lstm = nn.LSTM(8, width)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(width, 3)

    def forward(self, batch):
        lifted = torch.relu(self.lift(batch["signals"]))
        _, (state, _) = self.lstm(pack_padded_sequence(lifted, batch["lengths"], enforce_sorted=False))
        return self.out(self.drop(state[-1]))


listener = Listener()
optimizer = torch.optim.AdamW(listener.parameters(), lr=1e-3)
for epoch in range(2):
    for batch in DataLoader(Recordings(200), batch_size=20, shuffle=True, collate_fn=padded):
        optimizer.zero_grad()
        loss = F.cross_entropy(listener(batch), batch["kinds"])
        loss.backward()
        optimizer.step()
    print(epoch, f"{loss.item():.3f}")
