#~ crash: SHP201
#~ edit: transpose(1, 2)
#~ edit: permute(0, 2, 1)
#~ edit: flatten(0, 1)
import torch
import torch.nn as nn
import torch.nn.functional as F


class Tagger(nn.Module):
    def __init__(self, vocab, tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, 24)
        self.lstm = nn.LSTM(24, 24, bidirectional=True, batch_first=True)
        self.tag = nn.Linear(48, tags)

    def forward(self, sentence):
        states, _ = self.lstm(self.embed(sentence))
        return self.tag(states)


def step(model, optimizer, sentence, tags):
    scores = model(sentence)  #~ maker
    loss = F.cross_entropy(scores, tags)  #~ fails
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = Tagger(100, 7)
optimizer = torch.optim.Adam(model.parameters())
for i in range(3):
    sentence, tags = torch.randint(0, 100, (8, 15)), torch.randint(0, 7, (8, 15))  #~ maker
    step(model, optimizer, sentence, tags)
print("tagged")
