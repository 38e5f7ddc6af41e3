"""The same fine-tuning with a window that holds the answers; the prompt is masked, the answer is not."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
VOCABULARY, PROMPT = 24, 10
embed, rnn, out = nn.Embedding(VOCABULARY, 16), nn.GRU(16, 24, batch_first=True), nn.Linear(24, VOCABULARY)
optimizer = torch.optim.AdamW([*embed.parameters(), *rnn.parameters(), *out.parameters()], lr=0.01)
for step in range(40):
    tokens = torch.randint(1, VOCABULARY, (16, PROMPT + 6))
    labels = tokens.clone()
    labels[:, :PROMPT] = -100
    logits = out(rnn(embed(tokens))[0])
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
