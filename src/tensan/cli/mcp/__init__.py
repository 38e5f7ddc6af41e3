"""Serve coding agents over MCP: they run scripts, read findings, ask a recorded step, and test patches."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

from tensan.cli.parser import Parser
from tensan.core.errors import UsageError

_EPILOG = """\
The server speaks the Model Context Protocol over stdin and stdout; an agent's host starts it. It runs only Python files under the
root, each in a process of its own that is stopped at a limit, and changes nothing of the tree itself: what a script does is the
script's. It needs the official SDK: `pip install 'tensan[mcp]'`.

examples:
  tensan mcp                                 for the working folder
  tensan mcp --root ~/project --seconds 600
"""


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.epilog = _EPILOG
    parser.add_argument("--root", metavar="DIR", default=".", help="the folder whose scripts may be run (default: the working folder)")
    parser.add_argument("--seconds", metavar="N", type=int, default=300, help="the longest that one run may take (default: 300)")


def execute(options: argparse.Namespace) -> int:
    """Serves until stdin ends.

    Raises:
        UsageError: when the SDK is not installed, or an option is wrong.
    """
    root = Path(options.root).expanduser()
    if not root.is_dir():
        raise UsageError(f"--root: expected a folder, got {options.root!r}")
    if options.seconds < 1:
        raise UsageError(f"--seconds: expected an integer >= 1, got {options.seconds}")
    # A file of the user's, such as an mcp.py, must not stand in for a package that is imported from here on.
    sys.path[:] = [folder for folder in sys.path if folder not in ("", os.getcwd())]
    if find_spec("mcp") is None:
        raise UsageError("mcp: the official MCP SDK is not installed: `pip install 'tensan[mcp]'`")
    from tensan.cli.mcp.server import serve
    from tensan.cli.mcp.tools import Toolbox

    os.chdir(root)  # paths in reports are relative to it
    toolbox = Toolbox(Path.cwd().resolve(), most_seconds=options.seconds)

    def end(number: int, _frame: object) -> None:
        # The SDK would wait for the tool that runs and for stdin: end at once, as without us, and leave nothing behind.
        toolbox.close()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    try:
        serve(toolbox)
    finally:
        toolbox.close()
    return 0
