"""Raise-path coverage of a module: which raise sites broken inputs come to, and what compiled, exported and traced make of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensan.contracts.raising.inputs import Variant, variants
from tensan.contracts.raising.modes import MODES, Ending, Runner
from tensan.contracts.raising.sites import RaiseSite, sites_of, sites_raised


@dataclass(frozen=True, slots=True)
class Path:
    """A raise site, the input that comes to it, and how each mode ends with that input.

    Attributes:
        variant: the first input that comes to it; None where none does.
        raised: what the module raises there.
        modes: by mode: "" for the same exception, else what becomes of it.
    """

    site: RaiseSite
    variant: Variant | None = None
    raised: str = ""
    modes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RaisePaths:
    """All raise sites of a module."""

    paths: tuple[Path, ...]

    @property
    def hit(self) -> frozenset[RaiseSite]:
        """The sites that an input came to."""
        return frozenset(path.site for path in self.paths if path.variant is not None)

    @property
    def changed(self) -> tuple[Path, ...]:
        """The sites whose exception changes or vanishes in a mode."""
        return tuple(path for path in self.paths if any(path.modes.values()))

    def text(self) -> str:
        """Returns the table by file, as coverage.py has it, and below it what changes in which mode."""
        from tensan.contracts.raising.table import text

        lines = [text((path.site for path in self.paths), self.hit)]
        for path in self.changed:
            lines += [f"{path.site}: {path.site.text}", *(f"    {mode}: {what}" for mode, what in path.modes.items() if what)]
        return "\n".join(lines)


def raise_paths(
    module: Any, *examples: tuple[Any, ...], inputs: Iterable[tuple[Any, ...]] = (), modes: Sequence[str] = MODES
) -> RaisePaths:
    """Finds the raise sites of a module, comes to them with broken inputs, and compares how each mode ends there.

    Args:
        module: a `torch.nn.Module`; it is copied, never changed.
        *examples: the arguments of calls that succeed; each is broken in many ways, one argument at a time.
        inputs: arguments of more calls, for conditions that no broken example meets.
        modes: some of `compile`, `fullgraph`, `export`, `trace`; none looks at the module as it is alone.

    Raises:
        ValueError: when there is no example.
    """
    if not examples:
        raise ValueError("raise_paths: give the arguments of at least one call that succeeds, as a tuple")
    sites = sites_of(module)
    eager = Runner(module, examples[0], "eager")
    found: dict[RaiseSite, tuple[Variant, Ending]] = {}
    tried = [variant for example in examples for variant in variants(example)]
    tried += [Variant(f"input {number}", given, same_shapes=False) for number, given in enumerate(inputs)]
    for variant in tried:
        ending = eager(variant.arguments)
        if ending.error is not None:
            for site in sites_raised(ending.error, sites) - found.keys():
                found[site] = variant, ending
    runners = [Runner(module, examples[0], mode) for mode in modes] if found else []
    return RaisePaths(tuple(_path(site, found.get(site), runners) for site in sites))


def _path(site: RaiseSite, found: tuple[Variant, Ending] | None, runners: Sequence[Runner]) -> Path:
    if found is None or found[1].error is None:
        return Path(site)
    variant, raised = found[0], type(found[1].error)
    modes = {runner.mode: _becomes(raised, runner(variant.arguments)) for runner in runners}
    return Path(site, variant, raised.__name__, modes)


def _becomes(raised: type[Exception], ending: Ending) -> str:
    """Returns what becomes of an exception in a mode, "" where it stays what it is."""
    if ending.error is None:
        return f"{raised.__name__} is lost: the call returns"
    name = type(ending.error).__name__
    if ending.refused:
        return f"the module is refused: {name}"
    # The very class: what a compiler refuses with is a RuntimeError as well.
    return "" if type(ending.error) is raised else f"{raised.__name__} becomes {name}"
