"""Fine-tuning on prompts and answers: the window is as long as the prompt, so that every label is masked."""
import torch
from torch import nn
import torch.nn.functional as F

VOCABULARY, PROMPT, WINDOW = 24, 10, 10


class TinyLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, 16)
        self.rnn = nn.GRU(16, 24, batch_first=True)
        self.out = nn.Linear(24, VOCABULARY)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[0])


def make_batch(size):
    tokens = torch.randint(1, VOCABULARY, (size, PROMPT + 6))[:, :WINDOW]
    labels = tokens.clone()
    labels[:, :PROMPT] = -100
    return tokens, labels


torch.manual_seed(0)
torch.set_num_threads(1)
model = TinyLM()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(40):
    tokens, labels = make_batch(16)
    logits = model(tokens)
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), reduction="sum")  #~ LOS107
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
