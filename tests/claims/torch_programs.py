"""Claims about compiled, exported and traced programs of PyTorch, and about what ends a process."""

import subprocess
import sys
import warnings

import torch
from claims.register import claim, raises
from torch.utils._python_dispatch import TorchDispatchMode


def compiled(model, **options):
    """Compiles a model anew: what was compiled, or given up, before is forgotten."""
    torch._dynamo.reset()
    return torch.compile(model, backend="eager", **options)


class Branch(torch.nn.Module):
    """Goes one of two ways by its values."""

    def forward(self, x):
        return x * 2 if x.sum() > 0 else x - 1


class Refusing(torch.nn.Module):
    """Refuses values below zero."""

    def forward(self, x):
        if x.shape[-1] != 3:
            raise ValueError("three features")
        if x.min() < 0:
            raise ValueError("below zero")
        return x * 2


@claim(
    "torch", "A trace keeps the branch that the example took, and warns only: other inputs give wrong values", used_by="the parity suite"
)
def trace_keeps_a_branch():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        traced = torch.jit.trace(Branch(), torch.ones(2))
    return bool(traced(-torch.ones(2)).equal(-2 * torch.ones(2))) and any("TracerWarning" in str(each.category) for each in said)


@claim("torch", "A trace loses a raise that the example did not meet", used_by="the parity suite")
def trace_loses_a_raise():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(Refusing(), torch.ones(2, 3))
    return not raises(Exception, traced, -torch.ones(2, 3))


@claim("torch", "torch.export refuses a branch on values", used_by="the parity suite")
def export_refuses_a_branch():
    return raises(Exception, torch.export.export, Branch(), (torch.ones(2),))


@claim(
    "torch",
    "A compiled model raises the module's own exception for a wrong shape, where the graph may break",
    used_by="raise-path coverage",
)
def compiled_model_raises_as_written():
    model = compiled(Refusing())
    model(torch.ones(2, 3))
    return raises(ValueError, model, torch.ones(2, 4))


@claim("torch", "With fullgraph=True the module's own exception becomes one of the compiler", used_by="raise-path coverage")
def fullgraph_changes_the_exception():
    model = compiled(Refusing(), fullgraph=True)
    return raises(torch._dynamo.exc.Unsupported, model, torch.ones(2, 4)) and raises(
        torch._dynamo.exc.Unsupported, model, -torch.ones(2, 3)
    )


@claim("torch", "A dispatch mode around a compiled model runs it eagerly, and it stays so afterwards", used_by="the adapter's deep step")
def dispatch_mode_decompiles():
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    runs = []

    def backend(graph, _):
        def run(*args):
            runs.append(1)
            return graph.forward(*args)

        return run

    torch._dynamo.reset()
    model, x = torch.compile(torch.nn.Linear(2, 2), backend=backend), torch.ones(1, 2)
    with Mode():
        model(x)
    inside = len(runs)
    model(x)
    after = len(runs)
    torch._dynamo.reset()
    return inside == 0 and after == 0


@claim("torch", "Backward through GroupNorm of a permuted view of four axes ends the process by a signal", used_by="GroupNorm in tests")
def group_norm_of_permuted_crashes():
    program = (
        "import torch; torch.set_num_threads(1); x = torch.randn(8, 4, 6, 4).permute(0, 3, 1, 2)\n"
        "torch.nn.GroupNorm(2, 4)(x).flatten(1).sum().backward()"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode < 0
