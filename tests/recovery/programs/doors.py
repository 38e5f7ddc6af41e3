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


globals()[sys.argv[1]]()
print("finite", finite())
