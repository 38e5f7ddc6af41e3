#~ crash: SHP203
#~ edit: num_embeddings=36
import torch
import torch.nn as nn

text = "the cat sat on the mat and the dog sat on the log while a bird sang in the old tree near " \
       "our house by that small river where we swim every summer with many good friends from town so happy"
words = text.split()
stoi = {"<pad>": 0, "<unk>": 1}
for word in words:
    stoi.setdefault(word, len(stoi))


class NextWord(nn.Module):
    def __init__(self, vocab_size, dim=16):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim)  #~ maker
        self.rnn = nn.GRU(dim, 32, batch_first=True)
        self.decoder = nn.Linear(32, len(stoi))

    def forward(self, ids):
        out, _ = self.rnn(self.embedding(ids))  #~ fails
        return self.decoder(out[:, -1])


torch.manual_seed(0)
ids = torch.tensor([stoi[w] for w in words])
contexts = ids.unfold(0, 5, 1)
model = NextWord(len(stoi) - 2)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(2):
    optimizer.zero_grad()
    inputs = contexts[:, :4]  #~ maker
    loss = nn.functional.cross_entropy(model(inputs), contexts[:, 4])
    loss.backward()
    optimizer.step()
print("ok")
