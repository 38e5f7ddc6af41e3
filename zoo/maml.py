"""Meta-learn an initialisation for sine regression, differentiating through the inner update (MAML)."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


def sample_task():
    """A sine of random amplitude and phase; returns a support and a query set."""
    amplitude = 0.5 + 1.5 * torch.rand(())
    phase = math.pi * torch.rand(())

    def draw(count):
        x = 6 * torch.rand(count, 1) - 3
        return x, amplitude * torch.sin(x + phase)

    return draw(10), draw(20)


def adapt(model, params, support, inner_lr, create_graph):
    x, y = support
    loss = F.mse_loss(functional_call(model, params, (x,)), y)
    gradients = torch.autograd.grad(loss, list(params.values()), create_graph=create_graph)
    return {name: p - inner_lr * g for (name, p), g in zip(params.items(), gradients)}


def evaluate(model, tasks, inner_lr):
    before = after = 0.0
    for support, (x, y) in tasks:
        params = dict(model.named_parameters())
        adapted = adapt(model, params, support, inner_lr, create_graph=False)
        with torch.no_grad():
            before += F.mse_loss(model(x), y).item()
            after += F.mse_loss(functional_call(model, adapted, (x,)), y).item()
    return before / len(tasks), after / len(tasks)


def main():
    torch.manual_seed(6)
    torch.set_num_threads(1)
    inner_lr, tasks_per_step, steps = 0.05, 4, 160
    model = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))
    meta_optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    test_tasks = [sample_task() for _ in range(20)]

    print("before meta-training: loss %.4f, after adapting %.4f" % evaluate(model, test_tasks, inner_lr))
    for step in range(steps):
        meta_optimizer.zero_grad()
        meta_loss = 0.0
        for _ in range(tasks_per_step):
            support, (query_x, query_y) = sample_task()
            params = dict(model.named_parameters())
            adapted = adapt(model, params, support, inner_lr, create_graph=True)
            meta_loss = meta_loss + F.mse_loss(functional_call(model, adapted, (query_x,)), query_y)
        (meta_loss / tasks_per_step).backward()
        meta_optimizer.step()
    print("after meta-training:  loss %.4f, after adapting %.4f" % evaluate(model, test_tasks, inner_lr))


if __name__ == "__main__":
    main()
