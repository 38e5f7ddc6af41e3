"""Watch a script while it runs, and report what silently went wrong."""

from __future__ import annotations

import argparse
import sys

from tensan.cli.options import add_settings, given
from tensan.cli.parser import Parser
from tensan.core.errors import TensanError, UsageError
from tensan.launch import children
from tensan.launch.execute import Target, check
from tensan.launch.execute import execute as execute_target

_EPILOG = """\
Everything after the script belongs to the script, `--help` included. The report goes to stderr after the script's own end;
`tensan report` shows it again. `kill -USR1 PID` prints the state so far.

examples:
  tensan run train.py --epochs 3                           watch a script
  tensan run --steps 20 -m package.train                   a pre-flight check: stop after 20 optimizer steps
  tensan run --select OPT,SHP101 --json found.json train.py
  tensan run --html report.html train.py                   a page for a browser
  tensan run --fail-on error train.py                      in CI: exit with 1 where an error was found
  torchrun --nproc-per-node 2 --no-python tensan run train.py

exit status:
  the script's own; where that is 0 and a finding reaches --fail-on, --error-exitcode (under torchrun from rank 0 alone);
  2 for bad usage, before the script starts

silencing a finding:
  # tensan: ignore[broadcast-in-loss] why     in the line, or alone on the line above
  # tensan: file-ignore[SHP101] why           in the file

environment:
  TENSAN=0           run the script as if tensan were not there
  TENSAN_<KEY>       any of the settings above, such as TENSAN_OVERHEAD=2
  NO_COLOR           no colours
  GITHUB_ACTIONS     set by GitHub to true: findings are also told as annotations, on stderr after the report
configuration: [tool.tensan] in the nearest pyproject.toml; a flag wins over the environment, that over the file
"""


def configure(parser: Parser) -> None:
    """Adds the options; everything from the script on is taken as it is."""
    parser.usage = "tensan run [options] (script.py | -m module | -c code) [args ...]"
    parser.epilog = _EPILOG
    parser.add_argument("-m", dest="is_module", action="store_true", help="the script is a module, as with `python -m`")
    parser.add_argument("-c", dest="is_code", action="store_true", help="the script is code, as with `python -c`")
    add_settings(parser)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="script.py [args ...]", help="what to run, with its own arguments")


def execute(options: argparse.Namespace) -> int:
    """Runs the script and returns the exit status for `leave`.

    Raises:
        UsageError: for bad usage, before anything of the script has run.
        LaunchError: when the script cannot be started.
    """
    from tensan.launch.session import Session, status_of, switched_off

    target = target_of(options)
    check(target)
    if switched_off():
        return _bare(target)
    try:
        session = Session.start(flags=given(options), script=words_of(target), interactive=False)
    except TensanError:
        raise
    except Exception as error:  # noqa: BLE001 - the guest never breaks the host, not even by failing to start
        print(f"tensan: the watch cannot start ({type(error).__name__}: {error}); the script runs without it", file=sys.stderr)
        return _bare(target)
    status = execute_target(
        target,
        before_shutdown=session.conclude,
        on_end=lambda exception: (session.end(exception, status_of(exception)), None)[1],
    )
    return session.exit_status(status) if children.is_root() else status


def _bare(target: Target) -> int:
    return execute_target(target, on_end=lambda _exception: None)


def target_of(options: argparse.Namespace) -> Target:
    """Returns what is to be run.

    Raises:
        UsageError: when that is nothing, or two things at once.
    """
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if options.is_module and options.is_code:
        raise UsageError("run: -m and -c exclude each other")
    if not command:
        what = "a module after -m" if options.is_module else "code after -c" if options.is_code else "a script, -m module or -c code"
        raise UsageError(f"run: expected {what} (`tensan run --help` shows examples)")
    return Target("module" if options.is_module else "code" if options.is_code else "script", command[0], tuple(command[1:]))


def words_of(target: Target) -> str:
    """Returns a target as reports name it."""
    return {"script": target.name, "module": f"-m {target.name}", "code": "-c"}[target.kind]
