"""What lies under the root and may be run, and copies of the root that a patch is tried on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tensan.core.errors import UsageError

#: What a copy of the root may hold at most.
MOST_FILES, MOST_BYTES = 5_000, 200_000_000


def script_under(root: Path, name: str) -> str:
    """Returns a script's path relative to the root, links followed.

    Raises:
        UsageError: when it is no Python file under the root.
    """
    try:
        path = (root / name).resolve()
        is_script = path.suffix == ".py" and path.is_file()
    except (OSError, ValueError, RuntimeError):  # no name for a file, links in a circle
        raise UsageError(f"script: {name!r} is no name of a file") from None
    if not path.is_relative_to(root):
        raise UsageError(f"script: {name!r} lies outside of {root}, the root that this server was started with")
    if not is_script:
        raise UsageError(f"script: expected a Python file under {root}, got {name!r}")
    return str(path.relative_to(root))


def copy(root: Path, target: Path) -> list[str]:
    """Copies a tree, but for hidden folders, environments and caches; a link that leads within it leads within the copy.

    Returns:
        What was left out because it leads out of the root.

    Raises:
        UsageError: when there is more than a copy may hold.
    """
    try:
        return _copied(root, target)
    except OSError as error:
        raise UsageError(f"the root cannot be copied for a trial: {error}") from error


def _copied(root: Path, target: Path) -> list[str]:
    left_out, files, size = [], 0, 0
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        there = target / here.relative_to(root)
        there.mkdir(parents=True)
        links = [name for name in (*folders, *names) if (here / name).is_symlink()]
        folders[:] = [name for name in folders if name not in links and not _is_passed_over(here / name)]
        for name in links:
            leads_to = (here / name).resolve()
            if leads_to.is_relative_to(root):
                (there / name).symlink_to(os.path.relpath(leads_to, here))
            else:
                left_out.append(str((here / name).relative_to(root)))
        for name in names:
            path = here / name
            if name in links or not path.is_file():
                continue
            files, size = files + 1, size + path.stat().st_size
            if files > MOST_FILES or size > MOST_BYTES:
                raise UsageError(
                    f"the root holds more than {MOST_FILES} files or {MOST_BYTES // 1_000_000} MB, too much to copy for a trial; "
                    "start the server with --root on the folder of the program alone"
                )
            shutil.copy(path, there / name)
    return left_out


def _is_passed_over(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in ("__pycache__", "node_modules") or (folder / "pyvenv.cfg").exists()
