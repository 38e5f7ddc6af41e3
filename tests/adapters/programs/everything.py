"""Uses all that the adapter listens to, with mistakes enough that rules speak and questions are asked, in less than two seconds."""
import copy
import io

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Stored(Dataset):
    def __init__(self, count):
        self.items = [torch.randn(6) for _ in range(count)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        item = self.items[index]
        item.mul_(1.01)
        return item, item.sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.2)
        self.parts = [nn.Linear(8, 8)]
        self.last = nn.Linear(8, 8)
        self.out = nn.Linear(8, 1)
        self.last.weight = self.first.weight if self.first.weight.shape == self.last.weight.shape else self.last.weight
        self.tied = nn.Linear(8, 8)
        self.tied.weight = self.last.weight

    def forward(self, x):
        h = torch.relu(self.norm(self.first(x)))
        return self.out(self.tied(self.last(self.drop(self.parts[0](h)))))


if __name__ == "__main__":
    model = Net()
    other = nn.Linear(6, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    second = torch.optim.SGD([{"params": other.parameters()}], lr=0.1, momentum=0.9)
    second.add_param_group({"params": [nn.Parameter(torch.zeros(2))]})
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(second, patience=0)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
    data = Stored(24)
    train, test = DataLoader(data, batch_size=4, shuffle=True), DataLoader(data, batch_size=8)
    best = None
    for epoch in range(3):
        model.train()
        for x, y in train:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y[:, None]) + 0 * ((model.out.bias - y) ** 2).mean()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            other.zero_grad()
            wrong = ((other(x) - y) ** 2).mean()
            scaler.scale(wrong).backward()
            scaler.unscale_(second)
            nn.utils.clip_grad_value_(other.parameters(), 0.5)
            scaler.step(second)
            scaler.update()
            nn.utils.clip_grad_norm_(other.parameters(), 1.0)
        with torch.no_grad():
            error = sum(nn.functional.mse_loss(model(x)[:, 0], y).item() for x, y in test)
        model.eval()
        with torch.inference_mode():
            model(torch.randn(4, 6))
        plateau.step(error)
        best = model.state_dict()
        print(epoch, loss.item(), wrong.item(), error)
    for x, y in DataLoader(data, batch_size=12, num_workers=1):
        print(x.sum().item())
    twin = copy.deepcopy(model)
    model.load_state_dict(best)
    buffer = io.BytesIO()
    torch.save({"model": best, "optimizer": optimizer.state_dict()}, buffer)
    twin.load_state_dict(torch.load(io.BytesIO(buffer.getvalue()))["model"])
    lbfgs = torch.optim.LBFGS(other.parameters(), max_iter=2)
    x, y = torch.randn(8, 6), torch.randn(8, 1)

    def closure():
        lbfgs.zero_grad()
        loss = nn.functional.mse_loss(other(x), y)
        loss.backward()
        return loss

    print(lbfgs.step(closure).item())
    logits = torch.softmax(nn.Linear(6, 3)(x), dim=1)
    nn.functional.cross_entropy(logits, torch.zeros(8, dtype=torch.long)).backward()
    for number in range(3):
        loss = (other(x) / 0).mean()
        loss.backward()
        lbfgs.param_groups[0]["max_iter"] = 1
        second.step()
    sum(p.sum() for p in twin.parameters()).backward()
    torch.compile(model, backend="eager")
    other.compile(backend="eager")
    print(sum(p.sum().item() for p in model.parameters()))
