"""What a run depends on beside its seed: versions, the kind of processor, the order of sets."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata

LIBRARIES = ("numpy", "torch", "tensorflow")


def versions() -> dict[str, str]:
    """Returns the versions of python and of the libraries that were imported, and the kinds of processors that torch computes on."""
    found = {"python": platform.python_version()}
    found |= {name: str(getattr(sys.modules[name], "__version__", "")) for name in LIBRARIES if name in sys.modules}
    return found | _processors()


def versions_here(names: set[str]) -> dict[str, str]:
    """Returns the same of what some names stand for, whether imported yet or not.

    Args:
        names: those that a token holds; torch is imported where the kind of processor is among them.
    """
    if names & {"cpu", "gpu"}:
        __import__("torch")
    found = versions()
    for name in names.intersection(LIBRARIES) - found.keys():
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def threads() -> int:
    """Returns how many threads torch's operations use; 0 where torch is not there."""
    torch = sys.modules.get("torch")
    return torch.get_num_threads() if torch is not None else 0


def hash_seed() -> str:
    """Returns the seed of texts' hashes, on which the order of sets of them depends."""
    if not sys.flags.hash_randomization:
        return "0"
    given = os.environ.get("PYTHONHASHSEED", "")
    return given if given.isdecimal() and int(given) else "random"  # a nought was set after python had started


def _processors() -> dict[str, str]:
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    found = {"cpu": str(torch.backends.cpu.get_cpu_capability())}
    if torch.cuda.is_initialized():
        found["gpu"] = str(torch.cuda.get_device_name())
    return found
