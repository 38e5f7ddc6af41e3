#~ crash: GRD201
#~ edit: detach
import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, vocab=30, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, h=None):
        y, h = self.gru(self.emb(x), h)
        return self.out(y), h


torch.manual_seed(0)
corpus = torch.randint(0, 30, (4, 81))
rnn = CharRNN()
opt = torch.optim.Adam(rnn.parameters(), lr=1e-3)
hidden = None
for t in range(0, 80, 20):
    x, y = corpus[:, t : t + 20], corpus[:, t + 1 : t + 21]
    logits, hidden = rnn(x, hidden)  #~ maker
    loss = nn.functional.cross_entropy(logits.reshape(-1, 30), y.reshape(-1))
    opt.zero_grad()
    loss.backward()  #~ fails
    opt.step()
print("read")
