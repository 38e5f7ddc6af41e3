"""What stands beside the plain loop: code doors, saved poison, overflow in a step, a scaler that finds no scale, an endless fault."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def step(optimizer, *, broken=False, scaler=None):
    x = torch.randn(8, 4)
    if broken:
        x[0, 0] = float("nan")
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    (scaler.scale(loss) if scaler is not None else loss).backward()
    scaler.step(optimizer) if scaler is not None else optimizer.step()
    if scaler is not None:
        scaler.update()


def finite():
    return all(bool(torch.isfinite(parameter).all()) for parameter in model.parameters())


def in_code():
    import tensan

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  # before anybody watches
    step(optimizer)
    session = tensan.recover(model, optimizer, mode="skip", quiet=True)
    for number in range(30):
        step(optimizer, broken=number == 12)
    print([(action.kind, action.step) for action in session.report().run.actions])


def saved_poison():
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    mask = torch.full((4, 4), float("-inf")).triu(1)  # has infinities by nature
    for number in range(6):
        step(optimizer)
        if number == 4:
            with torch.no_grad():
                model[0].weight[0, 0] = float("nan")
        torch.save({"model": model.state_dict(), "mask": mask, "number": number}, "last.pt")
    print(torch.load("last.pt", weights_only=True)["number"])


def overflow():
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for number in range(20):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        (loss * (1e25 if number == 10 else 1)).backward()  # finite, and its square is not
        optimizer.step()
    print(max(float(state["exp_avg_sq"].max()) for state in optimizer.state.values()) < 1e9)


def closures():
    """Of an optimizer that computes first, and of one that moves before it computes, as those that look for flat minima do."""

    class Sharpness(torch.optim.SGD):
        def step(self, closure):
            with torch.enable_grad():
                loss = closure()
            self.param_groups[0]["params"][0].data.add_(0.01)
            with torch.enable_grad():
                closure()
            self.param_groups[0]["params"][0].data.sub_(0.01)
            super().step()
            return loss

    for kind, calls_bad in ((torch.optim.Adam, (20, 33)), (Sharpness, (40, 51))):
        optimizer, calls = kind(model.parameters(), lr=1e-3), 0
        for number in range(40):
            x = torch.randn(8, 4)

            def closure():
                nonlocal calls
                calls += 1
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) * (float("nan") if calls in calls_bad else 1)
                loss.backward()
                return loss

            before = [parameter.detach().clone() for parameter in model.parameters()]
            assert optimizer.step(closure) is not None
            if all(map(torch.equal, before, model.parameters())):
                print(kind.__name__, "stood still at", number, "after", calls)


def no_scale():
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cpu")
    for number in range(180):
        step(optimizer, broken=number < 166, scaler=scaler)
    print(scaler.get_scale())


def no_scale_fused():
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, fused=True)
    scaler = torch.amp.GradScaler("cpu")
    for number in range(60):
        step(optimizer, broken=5 <= number < 45, scaler=scaler)
    print(scaler.get_scale() > 0)


def endless():
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    try:
        for number in range(1000):
            step(optimizer, broken=number > 20)
    finally:
        print("its finally ran", number)


def rate():
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for number in range(80):
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 if number < 30 else 1e4
        before = model[0].weight.detach().clone()
        step(optimizer)
        moved = float((model[0].weight - before).abs().max())
        assert optimizer.param_groups[0]["lr"] == (1e-2 if number < 30 else 1e4)
    print(moved < 1)


def loaded_poison():
    """Falls back to an earlier file, as its own error handling does, or else dies of it."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    step(optimizer)
    good = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "mask": torch.full((2, 2), float("-inf"))}
    torch.save(good, "good.pt")
    bad = torch.load("good.pt", weights_only=True)
    bad["model" if sys.argv[2] == "weights" else "optimizer"] = poison(bad)
    torch.save(bad, "bad.pt")
    for path in ("bad.pt", "good.pt"):
        held = torch.load(path, weights_only=True)
        try:
            model.load_state_dict(held["model"])
            optimizer.load_state_dict(held["optimizer"])
        except ValueError as error:
            print(type(error).__name__, error)
        else:
            print("went on from", path)
            break
    step(optimizer)


def poison(held):
    if sys.argv[2] == "weights":
        held["model"]["2.weight"][0, 3] = float("inf")
        return held["model"]
    held["optimizer"]["state"][1]["exp_avg_sq"][0] = float("nan")
    return held["optimizer"]


class Average:
    """As many write it: a new tensor at each step, by name."""

    def __init__(self):
        self.shadow = {name: tensor.detach().clone() for name, tensor in model.named_parameters()}

    def update(self):
        for name, tensor in model.named_parameters():
            self.shadow[name] = 0.9 * self.shadow[name] + 0.1 * tensor.detach()


def averages():
    """One that makes new tensors, one in place; and a best state, which is none and moves now and then."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    average, weights = Average(), [tensor.detach().clone() for tensor in model.parameters()]
    best, lowest = {name: tensor.clone() for name, tensor in model.state_dict().items()}, float("inf")
    for number in range(60):
        step(optimizer)
        average.update()
        for kept, tensor in zip(weights, model.parameters(), strict=True):
            kept.lerp_(tensor.detach(), 0.1)
        if number == 31:
            average.shadow["0.weight"][1, 1] = weights[2][0, 0] = float("nan")
        if number == 45:
            with torch.no_grad():
                model[0].weight.fill_(float("nan"))
            average.update()
        if number % 20 == 19 and number / 20 < lowest:
            best, lowest = {name: tensor.clone() for name, tensor in model.state_dict().items()}, number / 20
    for kept in (average.shadow.values(), weights, best.values()):
        print(all(bool(torch.isfinite(tensor).all()) for tensor in kept))
    print(all(torch.allclose(left, right, atol=0.05) for left, right in zip(average.shadow.values(), weights, strict=True)))


globals()[sys.argv[1]]()
print("finite", finite())
