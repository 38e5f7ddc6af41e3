"""What was looked for, what was not, and what looking has cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec

from tensan.core import plugins
from tensan.core.report import Run
from tensan.sinks.html.words import number

#: Families by the letters of their codes, as the list of rules names them.
_FAMILIES = {
    "ARC": "architecture",
    "CKP": "checkpoints",
    "CON": "contracts",
    "DAT": "data",
    "DST": "several processes",
    "EVL": "evaluation",
    "GRD": "gradients",
    "HDW": "hardware",
    "LOS": "losses",
    "MOD": "mode and wiring",
    "NUM": "numerics",
    "OPT": "optimizers",
    "RNG": "randomness",
    "SHP": "shapes",
}
_COSTS = {
    "hook_calls": "calls of our hooks",
    "device_syncs": "waits for a device",
    "deep_steps": "steps recorded operation by operation",
    "windows": "windows of steps that were looked at",
    "self_time_ms": "milliseconds spent in our own code",
    "trials_ms": "milliseconds in which fixes were tried, after the end",
}


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """A rule, and whether it met what it looks for."""

    code: str
    name: str
    about: str


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """Rules of one family."""

    name: str
    rules: tuple[Watched, ...]


class Watching(msgspec.Struct, frozen=True, kw_only=True):
    """The account of the watch itself."""

    armed: tuple[Family, ...]
    unarmed: tuple[Family, ...]
    num_unarmed: int
    costs: tuple[tuple[str, str], ...]


def watching(run: Run) -> Watching:
    """Returns the account of a run."""
    rules = {rule.code: rule for rule in plugins.all_rules()}
    armed = [
        Watched(code=code, name=rules[code].name if code in rules else "", about=rules[code].summary() if code in rules else "")
        for code in run.rules_armed
    ]
    # Which rules were used and not armed is not written down; on trial and pedantic ones are not used unless asked for.
    used = [rule for code, rule in rules.items() if code not in run.rules_armed and not rule.preview and rule.category.value != "pedantic"]
    num_unarmed = max(run.rules_total - len(run.rules_armed), 0)
    unarmed = [Watched(code=rule.code, name=rule.name, about=rule.summary()) for rule in used] if len(used) == num_unarmed else []
    costs = [(_COSTS.get(key, key.replace("_", " ")), number(value)) for key, value in run.cost.items()]
    return Watching(armed=_by_family(armed), unarmed=_by_family(unarmed), num_unarmed=num_unarmed, costs=tuple(costs))


def _by_family(rules: Sequence[Watched]) -> tuple[Family, ...]:
    groups = groupby(sorted(rules, key=lambda rule: rule.code), key=lambda rule: rule.code.rstrip("0123456789"))
    return tuple(Family(name=_FAMILIES.get(letters, letters), rules=tuple(group)) for letters, group in groups)
