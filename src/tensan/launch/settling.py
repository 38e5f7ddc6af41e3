"""Settings that fit together: the rules that they choose exist, so does the format, and the baseline can be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tensan.core import plugins
from tensan.core.errors import SettingsError, TensanError, UsageError
from tensan.core.rule import Rule
from tensan.core.settings import Settings
from tensan.launch import saved, selection
from tensan.launch.tracking import AUTO

#: Formats that are ours, known to exist without importing any sink before the script has ended.
_OUR_FORMATS = ("full", "concise", "agent", "github", "html", "json", "sarif")


def settle(held: Settings) -> tuple[Settings, Sequence[Rule], frozenset[str]]:
    """Returns settings with the families of `per-file-ignores` spelled out, the rules that take part, and what the baseline knows.

    Raises:
        UsageError: when a setting, a rule or the baseline is wrong.
    """
    all_rules = plugins.all_rules()
    rules = selection.chosen(all_rules, held)
    held = msgspec.structs.replace(held, per_file_ignores=selection.by_file(all_rules, held))
    _check_format(held.format)
    _check_trackers(held.track)
    if held.snapshots is not None and held.recover == "off":
        raise UsageError("snapshots: are taken under `--recover skip` and `--recover rewind` only")
    if held.replay is not None:
        from tensan.determinism.replaying import token_of  # most runs replay nothing

        token_of(held.replay, where="replay")
    return held, rules, _baseline(held)


def _check_format(name: str) -> None:
    if name in _OUR_FORMATS:
        return
    known = sorted(plugins.sinks())
    if name not in known:
        raise UsageError(f"format: expected one of {', '.join(known)}, got {name!r}")


def _check_trackers(names: Sequence[str]) -> None:
    unknown = [name for name in names if name != AUTO and name not in plugins.trackers()]
    if unknown:
        raise UsageError(f"track: expected {', '.join([AUTO, *sorted(plugins.trackers())])}, got {unknown[0]!r}")
    for name in set(names) - {AUTO}:
        plugins.trackers()[name]()  # one that cannot be used says so, before anything is written


def _baseline(held: Settings) -> frozenset[str]:
    if held.baseline is None:
        return frozenset()
    try:
        return frozenset(told.fingerprint for told in saved.read(Path(held.baseline)).findings)
    except TensanError as error:
        raise SettingsError(where="baseline", key=held.baseline, problem=str(error)) from error
