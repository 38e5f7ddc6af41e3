#~ crash: SHP203
#~ edit: num_embeddings=51
#~ edit: - 1
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Ratings(Dataset):
    def __init__(self, people=50, films=30):
        generator = torch.Generator().manual_seed(0)
        self.people = torch.arange(1, people + 1).repeat(8)
        self.films = torch.randint(0, films, (len(self.people),), generator=generator)
        self.stars = torch.rand(len(self.people), generator=generator) * 5

    def __len__(self):
        return len(self.stars)

    def __getitem__(self, index):
        return self.people[index], self.films[index], self.stars[index]


class Factors(nn.Module):
    def __init__(self, people, films, rank=8):
        super().__init__()
        self.people = nn.Embedding(people, rank)  #~ maker
        self.films = nn.Embedding(films, rank)

    def forward(self, person, film):
        return (self.people(person) * self.films(film)).sum(1)  #~ fails


torch.manual_seed(0)
model = Factors(50, 30)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for person, film, stars in DataLoader(Ratings(), batch_size=100):  #~ maker
    loss = nn.functional.mse_loss(model(person, film), stars)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
