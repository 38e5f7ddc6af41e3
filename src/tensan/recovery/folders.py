"""Folders that are there whole or not at all: written aside, flushed, hashed, and renamed into place."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tensan.core.errors import TensanError

MANIFEST = "manifest.json"
_ASIDE = ".writing-"
_BLOCK = 1 << 20


class FolderError(TensanError):
    """A folder that was kept is missing, damaged, or none of ours."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder holds.

    Attributes:
        files: sha256 by file name.
        size: bytes of all files.
    """

    step: int
    files: dict[str, str]
    size: int
    about: dict[str, Any] = {}


def write(folder: Path, *, step: int, fill: Callable[[Path], None], about: Mapping[str, Any]) -> None:
    """Makes a folder; whatever ends the process on the way, it is there whole or not at all.

    Args:
        folder: where it shall be; nothing may be there yet, since no call replaces a folder at once.
        step: optimizer steps done before.
        fill: writes the files into the folder that it is given.
        about: goes into the manifest.

    Raises:
        OSError: when it cannot be written.
    """
    aside = folder.parent / f"{_ASIDE}{os.getpid()}-{folder.name}"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        fill(aside)
        paths = sorted(path for path in aside.iterdir() if path.is_file())
        for path in paths:
            _flush(path)
        manifest = Manifest(
            step=step,
            files={path.name: digest(path) for path in paths},
            size=sum(path.stat().st_size for path in paths),
            about=dict(about),
        )
        (aside / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        _flush(aside / MANIFEST)
        _flush(aside)
        os.rename(aside, folder)
        _flush(folder.parent)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def remove(folder: Path) -> None:
    """Takes a folder away, whole at once: what is left of it when the process ends on the way is not taken for a kept one."""
    aside = folder.parent / f"{_ASIDE}{os.getpid()}-old-{folder.name}"
    os.rename(folder, aside)
    shutil.rmtree(aside, ignore_errors=True)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(path: Path) -> str:
    """Returns the sha256 of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def manifest(folder: Path) -> Manifest:
    """Returns what a folder says that it holds.

    Raises:
        FolderError: when it is none of ours.
    """
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except OSError as error:
        raise FolderError(f"{folder}: cannot be read: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise FolderError(f"{folder / MANIFEST}: is no manifest of tensan: {error}") from error


def verified(folder: Path) -> Manifest:
    """Returns what a folder holds, every file compared with its hash.

    Raises:
        FolderError: when a file is missing or is not what was written.
    """
    held = manifest(folder)
    for name, expected in held.files.items():
        path = folder / name
        try:
            found = digest(path)
        except OSError as error:
            raise FolderError(f"{path}: cannot be read: {error.strerror or error}") from error
        if found != expected:
            raise FolderError(f"{path}: is damaged: sha256 {found[:12]}, written as {expected[:12]}")
    return held


def kept(parent: Path) -> Iterator[Path]:
    """Yields the folders that are there whole, the oldest first: a run that was resumed counts its steps anew."""
    if parent.is_dir():
        whole = (path for path in parent.iterdir() if not path.name.startswith(".") and (path / MANIFEST).is_file())
        yield from sorted(whole, key=lambda path: ((path / MANIFEST).stat().st_mtime_ns, path.name))


def clear(parent: Path) -> None:
    """Takes away what processes that are gone have left half written."""
    if not parent.is_dir():
        return
    for path in parent.glob(f"{_ASIDE}*"):
        process = path.name.removeprefix(_ASIDE).partition("-")[0]
        if process.isdigit() and not _alive(int(process)):
            shutil.rmtree(path, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
