#~ crash: SHP201
#~ edit: pad_sequence
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

sentences = [(torch.randint(0, 50, (n,)), n % 2) for n in (5, 7, 3, 9)]


def collate(batch):
    tokens, labels = zip(*batch)
    return torch.stack(tokens), torch.tensor(labels)  #~ fails


for tokens, labels in DataLoader(sentences, batch_size=4, collate_fn=collate):
    print(tokens.shape)
