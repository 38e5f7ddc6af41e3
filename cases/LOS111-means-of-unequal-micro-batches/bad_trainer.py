"""A trainer class with nn.CrossEntropyLoss(ignore_index=...) and masked prompts, where the losses are summed, not divided."""
import torch
from torch import nn

VOCABULARY = 16


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.CrossEntropyLoss(ignore_index=-1)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def step(self, micro_batches):
        self.optimizer.zero_grad()
        for tokens, labels in micro_batches:
            logits = self.model(tokens)
            loss = self.criterion(logits.transpose(1, 2), labels)  #~ LOS111
            loss.backward()
        self.optimizer.step()
        return loss.item()


def micro_batch(prompt):
    tokens = torch.randint(0, VOCABULARY, (4, 10))
    labels = tokens.roll(-1, 1)
    labels[:, :prompt] = -1
    return tokens, labels


torch.manual_seed(0)
torch.set_num_threads(1)
trainer = Trainer(nn.Sequential(nn.Embedding(VOCABULARY, 12), nn.Linear(12, VOCABULARY)))
for step in range(25):
    loss = trainer.step([micro_batch(2), micro_batch(8)])
print(f"loss {loss:.3f}")
