"""Tensan, the sanitizer for deep learning: it says, with proof, when a training program silently does what nobody meant."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tensan._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from tensan import errors, shapes
    from tensan.adapters.torch.micro_batches import MicroBatches
    from tensan.contracts.calls.contract import contract
    from tensan.contracts.naming import axes
    from tensan.contracts.raising.parity import breaking
    from tensan.contracts.raising.paths import raise_paths
    from tensan.contracts.scopes.device import device
    from tensan.contracts.scopes.strict import strict
    from tensan.determinism.cache.stage import cached
    from tensan.determinism.scope import scope
    from tensan.errors import translate
    from tensan.launch.session import Session
    from tensan.recovery.root_cause import RootCause

__all__ = [
    "__version__",
    "axes",
    "breaking",
    "cached",
    "contract",
    "deterministic",
    "device",
    "errors",
    "goal",
    "ignore",
    "measured",
    "micro_batches",
    "raise_paths",
    "recover",
    "root_cause",
    "scope",
    "shapes",
    "strict",
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
    "device": "tensan.contracts.scopes.device",
    "strict": "tensan.contracts.scopes.strict",
    "scope": "tensan.determinism.scope",
    "cached": "tensan.determinism.cache.stage",
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


def deterministic(seed: int | str | None = None, *, warn_only: bool = False) -> str:
    """Makes this run one that can be had again: call it once, at the top, before anything is drawn, built or put on a GPU.

    The generators of Python, NumPy, torch and TensorFlow are seeded, now or as soon as the library is imported, and their operations are
    switched to those that give one result. JAX has no generator of its own to seed. Without this call nothing is touched.

    Args:
        seed: 0 to 2**32 - 1; a token from a report, to begin as that run began; or None for one that is drawn, which the token holds.
        warn_only: an operation of torch without a deterministic form warns instead of raising.

    Returns:
        The replay token. The report of a watched run shows it with the steps done and the failures met: `tensan run --replay TOKEN`
        begins alike and says whether they came again.

    Raises:
        ValueError: when the seed is no such number.
        tensan.core.errors.UsageError: when a token cannot be read, or was made with other versions: its run would be another one.
    """
    import sys

    from tensan.determinism.deterministic import deterministic as begin

    return begin(seed, warn_only=warn_only, frame=sys._getframe(1))


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


def goal(text: str) -> Session:
    """Says what this run is for: faults are then measured against it, and the report says how the run stands.

    Args:
        text: metric, direction, value and steps: `loss < 0.5 by 2000`, `accuracy > 0.9 by 2000`. `loss` is read where the program
            differentiates it, at each step; any other metric is told by `tensan.measured`.

    Returns:
        The session; `.report().run.goal` tells how the run stands. Inside `tensan run` this is the one that runs already.

    Raises:
        ValueError: when the text is no goal.
    """
    from tensan.core.goal import parse
    from tensan.launch.session import Session

    parse(text)
    session = Session.running() or Session.start()
    session.pursue(text)
    return session


def measured(metric: str, value: float) -> None:
    """Tells the value of the metric that the run's goal is about; where the run is not watched, or has another goal, nothing happens."""
    from tensan.core.watch import current

    watch = current()
    if watch is not None:
        watch.measured(metric, float(value))


def root_cause(
    replay: Callable[[frozenset[str], int], float], changed: Sequence[str], *, usual: float | None = None, least: float = 0.3
) -> RootCause:
    """Finds which of the things that changed has brought a fault about: each is set back, alone and in pairs, and the run is replayed.

    Args:
        replay: plays the run again from the last good snapshot, and returns how bad it came out: a positive number, such as the loss on
            clean data. It is given the factors to set back to what they were, and the number of a draw: 0 draws what the run drew,
            others another order and other masks.
        changed: names of the factors, such as `data`, `learning rate`, `code path`.
        usual: the outcome before anything changed, where it is known: what is as bad with everything set back has its cause elsewhere.
        least: the smallest effect that counts, as a part of the outcome.

    Returns:
        The causes, none where there is no single one, with necessity, sufficiency and size of each factor's effect, and what chance does.

    Raises:
        ValueError: when no factor is given, or one twice.
    """
    from tensan.recovery.root_cause import root_cause as search

    return search(replay, changed, usual=usual, least=least)


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
