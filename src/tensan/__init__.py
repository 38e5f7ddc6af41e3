"""Tensan, the sanitizer for deep learning: it says, with proof, when a training program silently does what nobody meant."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tensan._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from tensan import errors, shapes
    from tensan.adapters.torch.micro_batches import MicroBatches
    from tensan.contracts.calls.contract import contract
    from tensan.contracts.naming import axes
    from tensan.contracts.raising.parity import breaking
    from tensan.contracts.raising.paths import raise_paths
    from tensan.errors import translate
    from tensan.launch.session import Session

__all__ = [
    "__version__",
    "axes",
    "breaking",
    "contract",
    "errors",
    "ignore",
    "micro_batches",
    "raise_paths",
    "recover",
    "shapes",
    "translate",
    "watch",
]


#: Where what is public lives, and is loaded from when it is asked for.
_LIVES_IN = {
    "translate": "tensan.errors",
    "contract": "tensan.contracts.calls.contract",
    "axes": "tensan.contracts.naming",
    "breaking": "tensan.contracts.raising.parity",
    "raise_paths": "tensan.contracts.raising.paths",
}


def __getattr__(name: str) -> Any:
    if name in ("errors", "shapes"):
        return importlib.import_module(f"tensan.{name}")
    if name in _LIVES_IN:
        return getattr(importlib.import_module(_LIVES_IN[name]), name)
    raise AttributeError(f"module 'tensan' has no attribute {name!r}")


def watch(**settings: Any) -> Session:
    """Watches this process from now on: for notebooks, and for programs that want to start it themselves.

    Args:
        **settings: any of the settings of `tensan run`, such as `select=("OPT",)` or `overhead=2.0`.

    Returns:
        The session; `.report()` gives the report so far, `.close()` ends the watch. It is also a context manager, and
        shows its report in notebooks.

    Raises:
        tensan.core.errors.SettingsError: when a setting has a wrong name or value.
    """
    from tensan.launch.session import Session

    return Session.start(flags=settings)


def recover(*parts: Any, mode: str = "rewind", **settings: Any) -> Session:
    """Keeps this run alive from now on: bad steps are skipped, or taken back to a snapshot, as `tensan run --recover` does.

    Args:
        *parts: what is trained: models, optimizers, a gradient scaler. What was made after torch was imported under `tensan run` is
            known without that.
        mode: `skip` or `rewind`.
        **settings: any other setting, such as `snapshots="kept"` or `bad_steps=32`.

    Returns:
        The session; `.report()` tells what was done so far. Inside `tensan run` this is the one that runs already.

    Raises:
        tensan.core.errors.UsageError: when a setting has a wrong name or value.
    """
    from tensan.launch.session import Session

    return Session.recovering(parts, flags={"recover": mode, **settings})


def micro_batches(compute: Callable[..., Any], *, model: Any, most: int = 64) -> MicroBatches:
    """Differentiates batches that may not fit into memory: in parts then, with the gradient of the whole, or not at all.

    Args:
        compute: returns the loss of a batch, as a mean or a sum over its samples: `lambda x, y: criterion(model(x), y)`.
        model: what is trained.
        most: parts at most.

    Returns:
        What has a `backward(*batch)`, which stands for `compute(*batch).backward()` and returns the loss. Where a part of the model or the
        loss joins samples, such as BatchNorm in train mode, it raises and says so.
    """
    from tensan.adapters.torch.micro_batches import MicroBatches

    return MicroBatches(compute, model=model, most=most)


def ignore(*names: str) -> AbstractContextManager[None]:
    """Silences rules, by code or name, for findings that are made while the `with` block runs, and for those on one of its lines.

    Raises:
        ValueError: when no rule is named: there is no blanket form.
    """
    if not names:
        raise ValueError("tensan.ignore: name at least one rule, such as tensan.ignore('broadcast-in-loss'); there is no blanket form")
    from contextlib import contextmanager

    from tensan.core.sites import here
    from tensan.core.watch import current

    running, names_here = current(), frozenset(names)
    path, line = place.key if running is not None and (place := here()) is not None else ("", 0)

    @contextmanager
    def scope() -> Iterator[None]:
        if running is not None:
            running.suppressor.begin_block(names_here, path, line)
        try:
            yield
        finally:
            if running is not None:
                running.suppressor.scoped.remove(names_here)

    return scope()


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tensan`: watches what the cells do from now on; `%tensan` shows the report so far."""
    from tensan.hosts.ipython import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext tensan`: ends the watch."""
    from tensan.hosts.ipython import unload

    unload(shell)
