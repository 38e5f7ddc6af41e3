"""Finds rules, adapters, sinks and trackers, ours and third parties' alike, through entry points."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import EntryPoints, distributions
from types import ModuleType

from tensan.core.errors import PluginError
from tensan.core.rule import Rule
from tensan.core.tracker import Tracker

NAMESPACE = "tensan."
RULES, ADAPTERS, SINKS, TRACKERS = (NAMESPACE + kind for kind in ("rules", "adapters", "sinks", "trackers"))


@lru_cache(maxsize=1)
def all_rules() -> tuple[type[Rule], ...]:
    """Returns every rule there is, by code: one entry point names a package of rules, which is walked.

    Raises:
        PluginError: when a package cannot be imported or two rules share a code or a name.
    """
    found: dict[str, type[Rule]] = {}
    named: dict[str, type[Rule]] = {}
    for point in _points().select(group=RULES):
        try:
            package = importlib.import_module(point.value)
            for module in _walk(package):
                for rule in _rules_of(module):
                    for other in (found.setdefault(rule.code, rule), named.setdefault(rule.name, rule)):
                        if other is not rule:
                            raise PluginError(
                                f"rule {rule.code} ({rule.name}) of {rule.__module__} has the code or name of {other.__module__}"
                            )
        except PluginError:
            raise
        except Exception as error:
            raise PluginError(f"entry point {point.name} = {point.value} of group {RULES}: {error}") from error
    return tuple(found[code] for code in sorted(found))


def adapters(*, failed: Callable[[str, Exception], object] | None = None) -> dict[str, type]:
    """Returns the adapters by name; loading one imports no framework.

    Args:
        failed: told of each one that cannot be loaded, which is then left out; without it the first one raises.

    Raises:
        PluginError: when one cannot be loaded and nobody wants to be told.
    """
    found: dict[str, type] = {}
    for point in _points().select(group=ADAPTERS):
        try:
            found[point.name] = point.load()
        except Exception as error:  # one broken adapter must not take the others away
            if failed is None:
                raise PluginError(f"entry point {point.name} = {point.value} of group {ADAPTERS}: {error}") from error
            failed(point.name, error)
    return found


@lru_cache(maxsize=1)
def sinks() -> dict[str, type]:
    """Returns the sinks by format."""
    return {sink.format: sink for sink in (point.load() for point in _points().select(group=SINKS))}


@lru_cache(maxsize=1)
def trackers() -> dict[str, type[Tracker]]:
    """Returns the trackers by name; loading one imports no service's library.

    Raises:
        PluginError: when one cannot be loaded.
    """
    found: dict[str, type[Tracker]] = {}
    for point in _points().select(group=TRACKERS):
        try:
            found[point.name] = point.load()
        except Exception as error:
            raise PluginError(f"entry point {point.name} = {point.value} of group {TRACKERS}: {error}") from error
    return found


@lru_cache(maxsize=1)
def _points() -> EntryPoints:
    """Reads once what the installed packages offer; the lists of those that do not name us are not parsed, which is most of the time."""
    offered: dict[str, EntryPoints] = {}
    for package in distributions():
        if f"[{NAMESPACE}" in (package.read_text("entry_points.txt") or ""):
            # The first of a name on the path is the one that is imported.
            offered.setdefault(package.name, package.entry_points)
    return EntryPoints(point for points in offered.values() for point in points)


def _walk(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    for info in pkgutil.walk_packages(getattr(package, "__path__", ()), package.__name__ + "."):
        yield importlib.import_module(info.name)


def _rules_of(module: ModuleType) -> Iterator[type[Rule]]:
    return (
        item
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, Rule) and item.__module__ == module.__name__ and "code" in vars(item)
    )
