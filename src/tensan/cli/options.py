"""Flags from settings: nothing is typed twice."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from tensan.core.settings import Field, fields


def add_settings(parser: argparse.ArgumentParser, *, only: Iterable[str] | None = None) -> None:
    """Adds a flag for each setting; one that is not given stays None, so that environment and pyproject.toml hold.

    Args:
        parser: the parser of a command.
        only: attributes of the settings that this command has; all by default.
    """
    wanted = None if only is None else set(only)
    for field in fields():
        if not field.config_only and (wanted is None or field.attribute in wanted):
            parser.add_argument(*_names(field), **_behaviour(field))


def given(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the settings that were given as flags, by attribute."""
    known = {field.attribute: field for field in fields()}
    return {name: _value(known[name], value) for name, value in vars(options).items() if name in known and value is not None}


def _names(field: Field) -> list[str]:
    return [*([f"-{field.short}"] if field.short else []), f"--{field.key}"]


def _behaviour(field: Field) -> dict[str, Any]:
    kind = _kind(field)
    common = {"dest": field.attribute, "default": None, "help": f"{field.help}{_default(field)}".replace("%", "%%")}
    if kind is bool:
        return common | {"action": "store_true"}
    if field.choices:
        return common | {"choices": field.choices}
    common["metavar"] = field.metavar or field.key.upper()
    if get_origin(kind) is tuple:
        return common | {"action": "append"}
    return common | {"type": kind}


def _kind(field: Field) -> Any:
    if get_origin(field.kind) in (Union, UnionType):
        return next(item for item in get_args(field.kind) if item is not NoneType)
    return field.kind


def _default(field: Field) -> str:
    return "" if field.default is None or field.default == () or isinstance(field.default, bool) else f" (default: {field.default})"


def _value(field: Field, value: Any) -> Any:
    if get_origin(_kind(field)) is not tuple:
        return value
    return tuple(part.strip() for text in value for part in text.split(",") if part.strip())
