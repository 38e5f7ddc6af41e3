"""Twelve ways to write a training loop, with a bad batch in the midst of it or without; prints what the loop's own logic has come to."""

import copy
import os
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

name, bad = sys.argv[1], sys.argv[2] == "bad"
torch.manual_seed(0)
torch.set_num_threads(1)
STEPS, BAD = 40, (25, 26)
data = torch.Generator().manual_seed(1)


def model_of(inputs=6, outputs=1):
    return nn.Sequential(nn.Linear(inputs, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, outputs))


def batch(step, broken=BAD):
    x = torch.randn(16, 6, generator=data)
    y = x.sum(1, keepdim=True)
    if bad and step in broken:
        x[2, 3] = float("nan")
    return x, y


def finite(*things):
    tensors = [tensor for thing in things for tensor in thing.state_dict().values()]
    return all(bool(torch.isfinite(tensor).all()) for tensor in tensors if isinstance(tensor, torch.Tensor))


def loss_of(model, x, y):
    return nn.functional.mse_loss(model(x), y)


def plain():
    model = model_of()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(STEPS):
        loss = loss_of(model, *batch(step))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("steps", step + 1)
    return finite(model)


def accumulation():
    model, updates = model_of(), 0
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    for step in range(STEPS):
        (loss_of(model, *batch(step)) / 4).backward()
        if (step + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
            updates += 1
    print("updates", updates)
    return finite(model)


def two_optimizers():
    maker, critic = model_of(6, 6), model_of()
    first, second = torch.optim.Adam(maker.parameters(), lr=1e-3), torch.optim.Adam(critic.parameters(), lr=1e-3)
    for step in range(STEPS):
        real = batch(step)[0]
        second.zero_grad()
        (critic(maker(torch.randn(16, 6, generator=data)).detach()).mean() - critic(real).mean()).backward()
        second.step()
        first.zero_grad()
        (-critic(maker(torch.randn(16, 6, generator=data))).mean()).backward()
        before = maker[0].weight.detach().clone()
        first.step()
        if step == BAD[0]:
            print("the other went on", not torch.equal(before, maker[0].weight))
    print("steps", step + 1)
    return finite(maker, critic)


def closure():
    model, values = model_of(), 0
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.05, max_iter=3)
    for step in range(STEPS):
        x, y = batch(step)

        def evaluate():
            optimizer.zero_grad()
            loss = loss_of(model, x, y)
            loss.backward()
            return loss

        values += isinstance(optimizer.step(evaluate), torch.Tensor)
    print("losses", values)
    return finite(model)


def scaler():
    model = model_of()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for step in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(model, *batch(step))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print("steps", step + 1)
    return finite(model) and scaler.get_scale() > 0


def own_schedule():
    model = model_of()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.0)
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * (1 - step / STEPS)
        optimizer.zero_grad()
        loss_of(model, *batch(step)).backward()
        optimizer.step()
    print("rate", round(optimizer.param_groups[0]["lr"], 6))
    return finite(model)


def schedule():
    model = model_of()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-2, total_steps=STEPS)
    for step in range(STEPS):
        optimizer.zero_grad(set_to_none=False)
        loss_of(model, *batch(step)).backward()
        optimizer.step()
        scheduler.step()
    print("rate", scheduler.get_last_lr(), scheduler.last_epoch)
    return finite(model)


def manual_checkpoints():
    model = model_of()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss_of(model, *batch(step)).backward()
        optimizer.step()
        if step % 5 == 0:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, "last.pt")
    state = torch.load("last.pt", weights_only=True)
    print("saved", state["step"])
    return all(bool(torch.isfinite(tensor).all()) for tensor in state["model"].values())


def early_stop():
    model, best, patience = model_of(), float("inf"), 0
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
    held = torch.randn(64, 6, generator=torch.Generator().manual_seed(2))
    kept = None
    for step in range(STEPS):
        model.train()
        optimizer.zero_grad()
        loss_of(model, *batch(step)).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            value = float(loss_of(model, held, held.sum(1, keepdim=True)))
        patience = 0 if value < best else patience + 1
        if value < best:
            best, kept = value, copy.deepcopy(model.state_dict())
        if patience > 20:
            break
    model.load_state_dict(kept)
    print("a number", value == value and best < 5)
    return finite(model)


def resume():
    model = model_of()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(STEPS // 2):
        optimizer.zero_grad()
        loss_of(model, *batch(step)).backward()
        optimizer.step()
    torch.save([model.state_dict(), optimizer.state_dict()], "half.pt")
    model = model_of()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    weights, state = torch.load("half.pt", weights_only=True)
    model.load_state_dict(weights)
    optimizer.load_state_dict(state)
    for step in range(STEPS // 2, STEPS):
        optimizer.zero_grad()
        loss_of(model, *batch(step)).backward()
        optimizer.step()
    print("steps", step + 1, os.path.getsize("half.pt") > 0)
    return finite(model)


class Descent(torch.optim.Optimizer):
    """Takes a gradient for granted, decays weights, and counts, as those that people write themselves do."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})
        self.count = 0

    @torch.no_grad()
    def step(self, closure=None):
        self.count += 1
        for group in self.param_groups:
            for parameter in group["params"]:
                mean = self.state[parameter].get("mean", torch.zeros_like(parameter))
                self.state[parameter]["mean"] = 0.9 * mean + parameter.grad.detach()
                parameter.mul_(1 - 1e-4).sub_(group["lr"] * self.state[parameter]["mean"])


def own_optimizer():
    model = model_of()
    optimizer = Descent(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss_of(model, *batch(step)).backward()
        before = model[0].weight.detach().clone()
        count = optimizer.count
        optimizer.step()
        if bad and step == BAD[0]:
            assert torch.equal(before, model[0].weight)
            assert optimizer.count == count
    print("steps", step + 1)
    return finite(model)


def loader():
    torch.manual_seed(3)
    x = torch.randn(320, 6)
    y = x.sum(1, keepdim=True)
    if bad:
        x[77, 1] = float("inf")
    model, seen = model_of(), 0
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, foreach=True)
    for _ in range(2):
        for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True, num_workers=int(os.environ.get("WORKERS", 0))):
            optimizer.zero_grad()
            loss_of(model, inputs, targets).backward()
            optimizer.step()
            seen += len(inputs)
    print("seen", seen)
    return finite(model)


print("finite", globals()[name]())
