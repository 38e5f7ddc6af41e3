"""Review the batches that recovery has set aside: which rows, what was wrong with them, and where the tensors lie."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tensan.cli.parser import Parser
from tensan.cli.snapshots import chosen, listing, shown
from tensan.core import runfile, settings
from tensan.recovery.keeping import BATCHES

_EPILOG = """\
examples:
  tensan quarantine                  the batches of the latest run, with why each was set aside
  tensan quarantine show 31          that of step 31: its rows in the data set, the broken samples, the line to blame

The tensors are in `batch.pt` of the folder that is shown: `torch.load(path, weights_only=True)` gives them by name.
"""


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.epilog = _EPILOG
    parser.add_argument("action", nargs="?", choices=("list", "show"), default="list", help="what to do (default: list)")
    parser.add_argument("step", nargs="?", metavar="STEP", help="the batch of that step, or its folder's name (default: the latest)")
    parser.add_argument("--run", metavar="RUN", help="a run file (default: the latest run)")


def execute(options: argparse.Namespace) -> int:
    """Prints what was asked for.

    Raises:
        UsageError: when there is no such batch.
    """
    path = Path(options.run) if options.run else runfile.latest(Path(settings.load().output))
    parent = path.with_suffix(BATCHES)
    print("\n".join(listing(parent) if options.action == "list" else shown(chosen(parent, options.step))))
    sys.stdout.flush()
    return 0
