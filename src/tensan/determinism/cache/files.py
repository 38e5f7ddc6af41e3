"""Writes a value as plain files in a folder of its own, whole or not at all, and reads it back: JSON, `.npy`, tensors."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import pickle
import secrets
import shutil
import sys
from pathlib import Path
from typing import Any

from tensan.core.errors import TensanError, UsageError

RECORD = "record.json"
#: Begins the names of folders that are being written, or that a killed process left behind.
UNFINISHED = ".unfinished-"
_ALLOWED = "allowed are None, numbers, text, bytes, lists, tuples, dicts, and arrays of numpy and torch without a gradient"


class DamagedError(TensanError):
    """What was kept cannot be read, or is not what was written."""


def write(folder: Path, value: Any, record: dict[str, Any], *, where: str) -> None:
    """Writes a value and its record; where another process was first, its files stay.

    Args:
        folder: that comes to be.
        value: what is kept.
        record: what it was made of.
        where: what the value is, for the error.

    Raises:
        UsageError: when a part of the value is of a kind that is not kept.
    """
    files: dict[str, bytes] = {}
    tree = _packed(value, files, where)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    # Paths and text may hold what is no valid UTF-8; ASCII holds all of it.
    files[RECORD] = json.dumps({**record, "value": tree, "files": hashes}, indent=1).encode("ascii")
    unfinished = folder.parent / f"{UNFINISHED}{os.getpid()}-{secrets.token_hex(4)}"
    unfinished.mkdir(parents=True)
    try:
        for name, content in files.items():
            with (unfinished / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        with contextlib.suppress(OSError):  # another process was first
            unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def record_of(folder: Path) -> dict[str, Any] | None:
    """Returns the record of what lies in a folder; None where nothing does.

    Raises:
        DamagedError: when it cannot be read.
    """
    try:
        found = json.loads((folder / RECORD).read_bytes())
    except FileNotFoundError:
        if folder.is_dir():
            raise DamagedError(f"{folder}: {RECORD} is missing") from None
        return None
    except (OSError, ValueError) as error:
        raise DamagedError(f"{folder}: {RECORD} cannot be read: {error}") from error
    if not isinstance(found, dict) or not {"value", "files", "reads"} <= found.keys():
        raise DamagedError(f"{folder}: {RECORD} is no record of a stage")
    return found


def read(folder: Path, record: dict[str, Any]) -> Any:
    """Returns the value that was written.

    Raises:
        DamagedError: when a file is not what was written.
    """
    files: dict[str, bytes] = {}
    for name, known in record["files"].items():
        try:
            files[name] = (folder / name).read_bytes()
        except OSError as error:
            raise DamagedError(f"{folder}: {name} cannot be read: {error}") from error
        if hashlib.sha256(files[name]).hexdigest() != known:
            raise DamagedError(f"{folder}: {name} is not what was written")
    return _unpacked(record["value"], files)


# ---- values ----


def _packed(value: Any, files: dict[str, bytes], where: str) -> Any:
    """Returns a value for JSON, where a list is a kind and its content; arrays go into files."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is complex:
        return ["complex", value.real, value.imag]
    if kind is bytes:
        return ["bytes", value.hex()]
    if kind in (list, tuple):
        return [kind.__name__, *(_packed(each, files, f"{where}[{number}]") for number, each in enumerate(value))]
    if kind is dict:
        pairs = [(_packed(key, files, f"{where}: a key"), _packed(each, files, f"{where}[{key!r}]")) for key, each in value.items()]
        return ["dict", *(part for pair in pairs for part in pair)]
    return _packed_array(value, files, where)


def _packed_array(value: Any, files: dict[str, bytes], where: str) -> Any:
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    buffer = io.BytesIO()
    if numpy is not None and (type(value) is numpy.ndarray or isinstance(value, numpy.generic)) and not value.dtype.hasobject:
        numpy.save(buffer, value, allow_pickle=False)
        tag, name = "scalar" if isinstance(value, numpy.generic) else "array", f"{len(files)}.npy"
    elif torch is not None and type(value) is torch.Tensor and not value.requires_grad:
        torch.save(value.clone(), buffer)  # of a view its own values alone
        tag, name = "tensor", f"{len(files)}.pt"
    else:
        what = "tensor that requires a gradient" if torch is not None and isinstance(value, torch.Tensor) else f"{type(value).__qualname__}"
        raise UsageError(f"{where}: a {what} cannot be kept; {_ALLOWED}")
    files[name] = buffer.getvalue()
    return [tag, name]


def _unpacked(tree: Any, files: dict[str, bytes]) -> Any:
    if not isinstance(tree, list):
        return tree
    tag, *parts = tree
    if tag == "complex":
        return complex(*parts)
    if tag == "bytes":
        return bytes.fromhex(parts[0])
    if tag in ("tensor", "array", "scalar"):
        return _unpacked_array(tag, parts[0], files)
    inner = [_unpacked(part, files) for part in parts]
    if tag == "dict":
        return dict(zip(inner[::2], inner[1::2], strict=True))
    return tuple(inner) if tag == "tuple" else inner


def _unpacked_array(tag: str, name: str, files: dict[str, bytes]) -> Any:
    try:
        if tag == "tensor":
            return _library("torch").load(io.BytesIO(files[name]), weights_only=True)
        found = _library("numpy").load(io.BytesIO(files[name]), allow_pickle=False)
    except (pickle.UnpicklingError, KeyError, RuntimeError, ValueError, EOFError) as error:
        raise DamagedError(f"{name} cannot be read: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from error
    return found[()] if tag == "scalar" else found


def _library(name: str) -> Any:
    """Returns the library that an array needs; who asks for the stage again may not have come to import it yet."""
    return __import__(name)
