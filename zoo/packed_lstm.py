"""Classify padded sequences with a packed LSTM, lower the rate on plateaus and restore the best weights."""

import copy

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PADDING = 0


class SequenceDataset(Dataset):
    """Sequences of token ids from 1 to 49; the label tells whether tokens below 18 are in the majority."""

    def __init__(self, count, generator):
        lengths = torch.randint(4, 12, (count,), generator=generator).tolist()
        self.sequences = [torch.randint(1, 50, (length,), generator=generator) for length in lengths]

    def __len__(self):
        return len(self.sequences)

    def __getitem__(self, index):
        sequence = self.sequences[index]
        return sequence, int((sequence < 18).float().mean() > 0.35)


def collate(batch):
    sequences, labels = zip(*batch)
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    return pad_sequence(sequences, batch_first=True, padding_value=PADDING), lengths, torch.tensor(labels)


class LSTMClassifier(nn.Module):
    def __init__(self, vocabulary=50, embedding_dim=24, hidden_dim=24, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding_dim, padding_idx=PADDING)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(2 * hidden_dim, classes)

    def forward(self, tokens, lengths):
        embedded = self.dropout(self.embedding(tokens))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return self.fc(self.dropout(torch.cat([hidden[-2], hidden[-1]], dim=1)))


def run_epoch(model, loader, criterion, optimizer=None):
    training = optimizer is not None
    model.train(training)
    total_loss, correct, count = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        for tokens, lengths, labels in loader:
            output = model(tokens, lengths)
            loss = criterion(output, labels)
            if training:
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            total_loss += loss.item() * len(labels)
            correct += (output.argmax(dim=1) == labels).sum().item()
            count += len(labels)
    return total_loss / count, correct / count


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(17)
    train_loader = DataLoader(SequenceDataset(704, generator), batch_size=32, shuffle=True, collate_fn=collate)
    valid_loader = DataLoader(SequenceDataset(256, generator), batch_size=128, collate_fn=collate)
    model = LSTMClassifier()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=1)
    best_loss, best_state = float("inf"), None
    for epoch in range(6):
        train_loss, train_accuracy = run_epoch(model, train_loader, criterion, optimizer)
        valid_loss, valid_accuracy = run_epoch(model, valid_loader, criterion)
        scheduler.step(valid_loss)
        if valid_loss < best_loss:
            best_loss, best_state = valid_loss, copy.deepcopy(model.state_dict())
        print(f"epoch {epoch}: train {train_loss:.4f}/{train_accuracy:.3f} valid {valid_loss:.4f}/{valid_accuracy:.3f}")
    model.load_state_dict(best_state)
    final_loss, final_accuracy = run_epoch(model, valid_loader, criterion)
    print(f"best valid loss {final_loss:.4f} accuracy {final_accuracy:.3f}")


if __name__ == "__main__":
    main()
