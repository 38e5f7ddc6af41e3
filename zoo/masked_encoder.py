"""Train a transformer encoder on padded sequences with a key padding mask and masked mean pooling."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, VOCABULARY, LONGEST = 0, 30, 12


def make_examples(count, generator):
    """Token sequences; the label is whether token 1 comes before token 2 (both occur once)."""
    examples = []
    for _ in range(count):
        length = int(torch.randint(6, LONGEST + 1, (), generator=generator))
        tokens = torch.randint(3, VOCABULARY, (length,), generator=generator)
        first, second = torch.randperm(length, generator=generator)[:2].tolist()
        tokens[first], tokens[second] = 1, 2
        examples.append((tokens, float(first < second)))
    return examples


def collate_fn(examples):
    tokens = pad_sequence([tokens for tokens, _ in examples], batch_first=True, padding_value=PAD)
    return tokens, torch.tensor([label for _, label in examples])


class Encoder(nn.Module):
    def __init__(self, d_model=32, nhead=4, layers=2):
        super().__init__()
        self.token_embedding = nn.Embedding(VOCABULARY, d_model, padding_idx=PAD)
        self.position_embedding = nn.Embedding(LONGEST, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward=64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=layers)
        self.classifier = nn.Linear(d_model, 1)

    def forward(self, tokens):
        padding = tokens == PAD
        positions = torch.arange(tokens.size(1)).expand_as(tokens)
        x = self.token_embedding(tokens) + self.position_embedding(positions)
        x = self.encoder(x, src_key_padding_mask=padding)
        keep = (~padding).unsqueeze(-1).to(x.dtype)
        pooled = (x * keep).sum(dim=1) / keep.sum(dim=1)
        return self.classifier(pooled).squeeze(-1)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(3)
    train_loader = DataLoader(make_examples(896, generator), batch_size=64, shuffle=True, collate_fn=collate_fn)
    valid_loader = DataLoader(make_examples(256, generator), batch_size=128, collate_fn=collate_fn)
    model = Encoder()
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    for epoch in range(7):
        model.train()
        total = 0.0
        for tokens, labels in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(tokens), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        model.eval()
        correct = 0
        with torch.no_grad():
            for tokens, labels in valid_loader:
                correct += ((model(tokens) > 0) == labels.bool()).sum().item()
        print(f"epoch {epoch + 1}: loss {total / len(train_loader):.4f} valid accuracy {correct / 256:.3f}")


if __name__ == "__main__":
    main()
