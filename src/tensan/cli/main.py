"""The `tensan` command: finds the module of the command that was asked for, and shows what goes wrong in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from tensan._version import __version__
from tensan.cli.parser import Parser, first_sentence
from tensan.core.errors import TensanError
from tensan.launch.execute import LaunchError, leave

#: Commands in the order of `--help`; each is a module of this package with `configure(parser)` and `execute(options)`.
COMMANDS = ("run", "report", "compare", "explain", "rules", "snapshots", "quarantine", "doctor", "mcp")

_EPILOG = """\
examples:
  tensan run train.py --epochs 3            watch a script; what follows it is the script's own
  tensan run --steps 20 -m package.train    a pre-flight check: stop after 20 optimizer steps
  tensan report                             show the latest run again
  tensan explain SHP101                     what a finding means, and what to do about it

`tensan COMMAND --help` says more about each. `TENSAN=0` switches everything off.
"""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs a command and ends the process with its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _dispatch(words)
    except (TensanError, LaunchError) as error:
        print(f"tensan: error: {error}", file=sys.stderr)
        status = 2
    except BrokenPipeError:
        # The reader (`head`) has seen enough. Python would flush once more at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 0
    leave(status)


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        module = import_module(f"tensan.cli.{words[0]}")
        parser = Parser(prog=f"tensan {words[0]}", about=module.__doc__ or "")
        module.configure(parser)
        return module.execute(parser.parse(words[1:]))
    parser = Parser(
        prog="tensan",
        about="A sanitizer for deep learning: it says, with proof, where a training program silently goes wrong.",
        epilog=_EPILOG,
    )
    parser.usage = "tensan [--help] [--version] COMMAND ..."
    parser.add_argument("--version", action="version", version=f"tensan {__version__}")
    group = parser.add_argument_group("commands")
    group.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=_listing())
    if not words:
        parser.print_help(sys.stderr)
        return 2
    parser.parse(words[:1])
    raise AssertionError(words)


def _listing() -> str:
    return "\n".join(f"{name:10} {first_sentence(import_module(f'tensan.cli.{name}').__doc__ or '')}" for name in COMMANDS)
