"""Show versions, adapters, paths and settings, and where each comes from."""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tensan._version import __version__
from tensan.cli.parser import Parser
from tensan.core import plugins, settings
from tensan.core.errors import TensanError

_PARTS = ("msgspec", "wrapt", "rich", "jinja2")


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.add_argument("--torch", action="store_true", help="also import torch and say what it can do")
    parser.add_argument("--check", action="store_true", help="check the settings and no more; says nothing where they are right")


def execute(options: argparse.Namespace) -> int:
    """Prints what it finds; the status is 1 where something is wrong.

    Raises:
        UsageError: with `--check`, for a setting that is wrong.
    """
    if options.check:
        from tensan.launch.settling import settle

        settle(settings.load())
        return 0
    lines = [*_versions(), *_adapters(), *_plugins(), *_paths(), *_settings(), *(_torch() if options.torch else ())]
    print("\n".join(lines))
    sys.stdout.flush()
    return int(any(line.lstrip().startswith("PROBLEM") for line in lines))


def in_range(found: str, requirement: str) -> bool | None:
    """Tells whether a version satisfies a requirement such as `>=2.6,<2.14`; None where either cannot be understood."""
    have = _numbers(found)
    for part in filter(None, (part.strip() for part in requirement.split(","))):
        match = re.fullmatch(r"(>=|<=|==|!=|<|>)\s*([\d.]+)", part)
        if match is None or not have:
            return None
        want = _numbers(match[2])
        length = max(len(want), len(have))
        left, right = (numbers + (0,) * (length - len(numbers)) for numbers in (have, want))
        holds = {">=": left >= right, "<=": left <= right, "==": left == right, "!=": left != right, "<": left < right, ">": left > right}
        if not holds[match[1]]:
            return False
    return True


def _numbers(text: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, match[0].split("."))) if match else ()


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _versions() -> Iterator[str]:
    yield f"tensan {__version__}, Python {platform.python_version()} on {platform.platform(terse=True)}"
    yield "  " + ", ".join(f"{name} {_installed(name) or 'missing'}" for name in _PARTS)
    if os.environ.get("TENSAN") == "0":
        yield "  TENSAN=0: everything is switched off"


def _adapters() -> Iterator[str]:
    yield "adapters"
    problems: list[str] = []
    say = "  PROBLEM: {} cannot be loaded: {}: {}".format
    found = plugins.adapters(failed=lambda name, error: problems.append(say(name, type(error).__name__, error)))
    for name, kind in found.items():
        have = _installed(kind.module)
        yield f"  {name}: tested with {kind.module} {kind.tested}; {_verdict(have, kind.tested)}"
    if not found and not problems:
        yield "  PROBLEM: none is found: is tensan itself installed (`pip install tensan`), or only on the path?"
    yield from problems


def _verdict(have: str, tested: str) -> str:
    if not have:
        return "not installed"
    words = {True: "which is tested", False: "which is not tested", None: "which may or may not be tested"}
    return f"{have} is installed, {words[in_range(have, tested)]}"


def _plugins() -> Iterator[str]:
    try:
        rules, formats = plugins.all_rules(), sorted(plugins.sinks())
    except Exception as error:  # noqa: BLE001 - to say what is broken is what this command is for
        yield f"  PROBLEM: {error}"
        return
    trial = sum(rule.preview for rule in rules)
    yield f"rules: {len(rules)}, {trial} of them on trial"
    yield f"formats: {', '.join(formats) or 'none'}"


def _paths() -> Iterator[str]:
    yield "paths"
    yield f"  package: {Path(__file__).resolve().parent.parent}"
    try:
        folder = Path(settings.load().output).absolute()
    except TensanError:
        return
    yield f"  runs: {folder} ({_writability(folder)})"


def _writability(folder: Path) -> str:
    place = next(place for place in (folder, *folder.parents) if place.exists())
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return "writable" if place == folder else "will be made"
    return "cannot be written: runs go to a temporary folder"


def _settings() -> Iterator[str]:
    yield "settings"
    try:
        held = settings.load()
        path, table = settings.table(Path.cwd())
    except TensanError as error:
        yield f"  PROBLEM: {error}"
        return
    for field in settings.fields():
        if field.variable in os.environ and not field.config_only:
            origin = field.variable
        elif field.key in table:
            origin = str(path)
        else:
            origin = "default"
        yield f"  {field.key} = {getattr(held, field.attribute)!r}  ({origin})"


def _torch() -> Iterator[str]:
    yield "torch"
    try:
        import torch
    except Exception as error:  # noqa: BLE001 - a broken installation raises anything
        yield f"  cannot be imported: {type(error).__name__}: {error}"
        return
    yield f"  {torch.__version__} at {os.path.dirname(torch.__file__)}"
    yield f"  cuda: {torch.version.cuda or 'not built in'}, {torch.cuda.device_count()} device(s)"
    yield f"  distributed: {torch.distributed.is_available()}"
    yield f"  threads: {torch.get_num_threads()}"
