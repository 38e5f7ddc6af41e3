"""Character model with tied weights, trained under autocast with a gradient scaler."""

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY, CONTEXT, WIDTH = 24, 16, 48


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        self.gru = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.token.weight
        nn.init.normal_(self.token.weight, std=0.1)

    def forward(self, tokens):
        hidden, _ = self.gru(self.token(tokens))
        return self.head(self.norm(hidden))


def make_batch(generator):
    start = torch.randint(0, VOCABULARY, (32, 1), generator=generator)
    stride = torch.randint(1, 4, (32, 1), generator=generator)
    text = (start + stride * torch.arange(CONTEXT + 1)) % VOCABULARY
    return text[:, :-1], text[:, 1:]


def main():
    torch.manual_seed(7)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(7)
    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    first = None
    for _ in range(200):
        inputs, targets = make_batch(generator)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(inputs)
            loss = F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        first = first or loss.item()
    print(f"loss {first:.3f} -> {loss.item():.3f}, tied {model.head.weight is model.token.weight}")


if __name__ == "__main__":
    main()
