"""Which rules take part in a run, each with its options."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

import msgspec

from tensan.core.errors import SettingsError, UsageError
from tensan.core.findings import Category
from tensan.core.rule import Rule, named
from tensan.core.settings import Settings


def chosen(rules: Sequence[type[Rule]], settings: Settings) -> list[Rule]:
    """Returns an instance of each rule that the settings choose.

    Without `select` these are all but the pedantic; a rule on trial joins with `preview`, or where its own code or name is selected.

    Raises:
        UsageError: when a selector names no rule.
        SettingsError: when options of a rule are unknown or wrong.
    """
    selected = [(selector, set(_named(rules, selector, key="select"))) for selector in settings.select]
    ignored = {rule for selector in settings.ignore for rule in _named(rules, selector, key="ignore")}
    _check_names(rules, settings.rules)
    return [
        _with_options(rule, settings)
        for rule in rules
        if rule not in ignored
        and (any(rule in found for _, found in selected) if selected else rule.category is not Category.PEDANTIC)
        and (settings.preview or not rule.preview or any(selector in (rule.code, rule.name) for selector, _ in selected))
    ]


def by_file(rules: Sequence[type[Rule]], settings: Settings) -> dict[str, tuple[str, ...]]:
    """Returns `per-file-ignores` with families spelled out as the codes of their rules.

    Raises:
        UsageError: when a selector names no rule.
    """
    return {
        pattern: tuple(rule.code for selector in selectors for rule in _named(rules, selector, key="per-file-ignores"))
        for pattern, selectors in settings.per_file_ignores.items()
    }


def closest(word: str, rules: Iterable[type[Rule]]) -> str:
    """Returns the code or name that comes nearest to a word, or an empty string."""
    known = {text.lower(): text for rule in rules for text in (rule.code, rule.name, rule.family())} | {"all": "ALL"}
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return known[near[0]] if near else ""


def _named(rules: Sequence[type[Rule]], selector: str, *, key: str) -> list[type[Rule]]:
    found = list(named(rules, selector))
    if not found and selector != "ALL":
        near = closest(selector, rules)
        raise UsageError(f"{key}: unknown rule {selector!r}" + (f"; did you mean {near}?" if near else "; `tensan rules` lists them"))
    return found


def _check_names(rules: Sequence[type[Rule]], options: Iterable[str]) -> None:
    names = [rule.name for rule in rules]
    for name in options:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            problem = "unknown rule" + (f"; did you mean {near[0]}?" if near else "; options go by rule name, `tensan rules` lists them")
            raise SettingsError(where="tool.tensan.rules", key=name, problem=problem)


def _with_options(rule: type[Rule], settings: Settings) -> Rule:
    given = settings.rules.get(rule.name, {})
    try:
        return rule(msgspec.convert(given, rule.Options))
    except msgspec.ValidationError as error:
        text = str(error)
        raise SettingsError(where="tool.tensan.rules", key=rule.name, problem=f"{text[:1].lower()}{text[1:]}, got {given!r}") from error
