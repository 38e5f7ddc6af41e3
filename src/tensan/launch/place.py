"""Where a run file lies: in the output folder, or in a temporary one where that cannot be written."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tensan.core.runfile import SUFFIX, RunFile


def open_run_file(folder: Path, *, rank: int | None) -> tuple[RunFile | None, str]:
    """Opens a new run file.

    Args:
        folder: the output folder; it is made, and hidden from git where it lies in a `.tensan` of ours.
        rank: number of this process among its siblings; None where it runs alone.

    Returns:
        The file, and a note where it does not lie in that folder; no file where none can be written anywhere.
    """
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}{'' if rank is None else f'-rank{rank}'}{SUFFIX}"
    try:
        _hide_from_git(folder)
        return RunFile(folder / name), ""
    except OSError as error:
        problem = f"TEN902: {folder}: {error.strerror or error}"
    try:
        file = RunFile(Path(tempfile.mkdtemp(prefix="tensan-")) / name)
        return file, f"{problem}; the run file is {file.path}"
    except OSError as error:
        return None, f"{problem}, nor can a temporary folder ({error.strerror or error}); this run leaves no run file"


def _hide_from_git(folder: Path) -> None:
    ours = next(_own_folders(folder), None)
    if ours is None or ours.exists():
        return
    ours.mkdir(parents=True, exist_ok=True)
    (ours / ".gitignore").write_text("*\n")


def _own_folders(folder: Path) -> Iterator[Path]:
    return (place for place in (folder, *folder.parents) if place.name == ".tensan")
