"""List the snapshots of a run, check one, or restore its files to a folder of yours."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tensan.cli.parser import Parser
from tensan.core import settings
from tensan.core.errors import UsageError
from tensan.recovery import folders

_EPILOG = """\
examples:
  tensan run --recover rewind --snapshots kept train.py    keep snapshots while it runs
  tensan snapshots list --snapshots kept                   what there is, the oldest first
  tensan snapshots show 1200 --snapshots kept              what it holds, every file compared with its hash
  tensan snapshots restore --snapshots kept -o resumed     check the latest, and copy it to a new folder

The files are state dicts: `model.load_state_dict(torch.load("resumed/model.pt", weights_only=True))`.
"""


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.epilog = _EPILOG
    parser.add_argument("action", nargs="?", choices=("list", "show", "restore"), default="list", help="what to do (default: list)")
    parser.add_argument(
        "step", nargs="?", metavar="STEP", help="the snapshot of that step, or its folder's name (default: the latest); of `list`, DIR"
    )
    parser.add_argument("--snapshots", metavar="DIR", help="folder of the snapshots (default: as the settings say)")
    parser.add_argument("-o", "--output", metavar="DIR", help="folder that `restore` makes")


def execute(options: argparse.Namespace) -> int:
    """Does what was asked.

    Raises:
        UsageError: where a folder is missing.
        FolderError: when a snapshot is damaged.
    """
    named = options.snapshots or (options.step if options.action == "list" else None) or settings.load().snapshots
    if named is None:
        raise UsageError("snapshots: name their folder with `--snapshots DIR`; `tensan run --recover rewind --snapshots DIR` makes them")
    parent = Path(named)
    if options.action == "list":
        print("\n".join(listing(parent)))
    else:
        folder = chosen(parent, options.step)
        lines = list(shown(folder))
        if options.action == "restore":
            lines.append(restored(folder, options.output))
        print("\n".join(lines))
    sys.stdout.flush()
    return 0


def listing(parent: Path) -> Iterator[str]:
    """Yields a line for each folder that is kept, the oldest first."""
    found = list(folders.kept(parent))
    for path in found:
        held = folders.manifest(path)
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime((path / folders.MANIFEST).stat().st_mtime))
        why = f"  {held.about['why']}" if "why" in held.about else ""
        yield f"{path.name:20}  step {held.step:>8}  {held.size / 1e6:9.2f} MB  {when}{why}"
    yield f"{parent}: {len(found)} kept"


def chosen(parent: Path, step: str | None) -> Path:
    """Returns the folder of a step, of a name, or the latest.

    Raises:
        UsageError: when there is none.
    """
    found = list(folders.kept(parent))
    fitting = [path for path in found if step is None or path.name == step or str(folders.manifest(path).step) == step]
    if fitting:
        return fitting[-1]
    there = ", ".join(str(folders.manifest(path).step) for path in found) or "none"
    raise UsageError(f"{parent}: holds nothing of step {step or '(any)'}; there is: {there}")


def shown(folder: Path) -> Iterator[str]:
    """Yields what a folder holds, once every file was compared with its hash."""
    held = folders.verified(folder)
    yield f"{folder}: after step {held.step}, every file as it was written"
    for name, digest in held.files.items():
        yield f"  {name:16}  {(folder / name).stat().st_size:>12} bytes  sha256 {digest[:16]}"
    for name, value in held.about.items():
        if isinstance(value, dict):
            yield f"  {name}:"
            yield from (f"    {key}: {item}" for key, item in value.items())
        elif value not in (None, "", []):
            yield f"  {name}: {value}"


def restored(folder: Path, output: str | None) -> str:
    """Copies a folder to one that is there whole or not at all, and says so.

    Raises:
        UsageError: where there is no folder to copy to, or something is there already.
    """
    if output is None:
        raise UsageError("restore: name the folder to make with `-o DIR`")
    target, held = Path(output).absolute(), folders.manifest(folder)
    if target.exists():
        raise UsageError(f"restore: {output}: is there already")

    def copy(aside: Path) -> None:
        for name in held.files:
            shutil.copyfile(folder / name, aside / name)

    try:
        folders.write(target, step=held.step, fill=copy, about=held.about)
    except OSError as error:
        raise UsageError(f"restore: {output}: cannot be written: {error.strerror or error}") from error
    return f"restored to {output}"
