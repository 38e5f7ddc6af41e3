"""Learn word vectors by skip-gram with negative sampling, sparse embeddings and Adagrad."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(100)
torch.set_num_threads(1)

TOPICS, WORDS_PER_TOPIC = 6, 15
VOCABULARY = TOPICS * WORDS_PER_TOPIC
NEGATIVES = 5


def make_corpus(sentences=600, length=10):
    """Each sentence talks about one topic, with one word in ten from anywhere."""
    topic = torch.randint(0, TOPICS, (sentences, 1))
    words = topic * WORDS_PER_TOPIC + torch.randint(0, WORDS_PER_TOPIC, (sentences, length))
    noise = torch.rand(sentences, length) < 0.1
    return torch.where(noise, torch.randint(0, VOCABULARY, (sentences, length)), words)


def skip_grams(corpus, window=2):
    centres, contexts = [], []
    length = corpus.size(1)
    for position in range(length):
        for other in range(max(0, position - window), min(length, position + window + 1)):
            if other != position:
                centres.append(corpus[:, position])
                contexts.append(corpus[:, other])
    return torch.cat(centres), torch.cat(contexts)


class SkipGram(nn.Module):
    def __init__(self, vocabulary, dimensions):
        super().__init__()
        self.in_embed = nn.Embedding(vocabulary, dimensions, sparse=True)
        self.out_embed = nn.Embedding(vocabulary, dimensions, sparse=True)
        nn.init.uniform_(self.in_embed.weight, -0.1, 0.1)
        nn.init.uniform_(self.out_embed.weight, -0.1, 0.1)

    def forward(self, centre, context, negatives):
        centre = self.in_embed(centre)
        positive_score = (centre * self.out_embed(context)).sum(dim=1)
        negative_score = torch.bmm(self.out_embed(negatives), centre.unsqueeze(2)).squeeze(2)
        return -(F.logsigmoid(positive_score) + F.logsigmoid(-negative_score).sum(dim=1)).mean()


def neighbours_on_topic(embedding):
    """The share of words whose nearest other word belongs to the same topic."""
    vectors = F.normalize(embedding.weight.detach(), dim=1)
    similarity = vectors @ vectors.t()
    similarity.fill_diagonal_(-1)
    topic = torch.arange(VOCABULARY) // WORDS_PER_TOPIC
    return (topic[similarity.argmax(dim=1)] == topic).float().mean().item()


corpus = make_corpus()
centres, contexts = skip_grams(corpus)
counts = torch.bincount(corpus.flatten(), minlength=VOCABULARY).float()
noise_distribution = counts**0.75
loader = DataLoader(TensorDataset(centres, contexts), batch_size=256, shuffle=True)
model = SkipGram(VOCABULARY, dimensions=16)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.2)

print(f"nearest neighbours on topic before training {neighbours_on_topic(model.in_embed):.3f}")
for epoch in range(4):
    total = 0.0
    for centre, context in loader:
        draws = torch.multinomial(noise_distribution, len(centre) * NEGATIVES, replacement=True)
        loss = model(centre, context, draws.view(-1, NEGATIVES))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch + 1} loss {total / len(loader):.4f} on topic {neighbours_on_topic(model.in_embed):.3f}")
