import torch, torch.nn as nn, numpy as np
from torch.utils.data import Dataset, DataLoader
torch.manual_seed(0)
class DS(Dataset):
    def __init__(self): self.x = torch.randn(160, 8)
    def __len__(self): return 160
    def __getitem__(self, i):
        n = np.random.randn(8).astype('float32') * .1
        return self.x[i] + torch.from_numpy(n), self.x[i].sum()
def seed_worker(w): np.random.seed(torch.initial_seed() % 2**32)
if __name__ == '__main__':
    dl = DataLoader(DS(), 16, shuffle=True, num_workers=2, worker_init_fn=seed_worker)
    net = nn.Linear(8, 1); opt = torch.optim.SGD(net.parameters(), 0.01)
    for ep in range(3):
        for x, y in dl:
            opt.zero_grad(); nn.functional.mse_loss(net(x).squeeze(1), y).backward(); opt.step()
