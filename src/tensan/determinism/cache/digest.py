"""Digests of values and of files: equal for what is equal, in every process; what has none is refused rather than guessed."""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

from tensan.core.errors import UsageError

_ALLOWED = (
    "allowed are None, numbers, text, bytes, paths, lists, tuples, dicts, sets, enums, dataclasses of such, and arrays of numpy and torch"
)


def digest_of(value: Any, *, where: str) -> str:
    """Returns a digest of a value.

    Args:
        value: of a path that leads to a file or folder the content counts too.
        where: what it is, for the error.

    Raises:
        UsageError: when it is of a kind whose content cannot be told.
    """
    taken = hashlib.sha256()
    _feed(value, taken.update, where)
    return taken.hexdigest()


def digest_of_files(path: Path) -> str:
    """Returns a digest of a file, or of all files in a folder, with their names; of what is not there too."""
    taken = hashlib.sha256()
    if path.is_dir():
        for each in sorted(path.rglob("*")):
            if each.is_file():
                taken.update(f"{each.relative_to(path).as_posix()}\0{digest_of_files(each)}\n".encode())
    elif path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    else:
        taken.update(b"not there")
    return taken.hexdigest()


def _feed(value: Any, feed: Callable[[bytes], None], where: str) -> None:
    """Feeds a value, so that no two different ones give the same bytes: each piece with its type and length."""

    def piece(tag: str, content: bytes) -> None:
        feed(f"{tag}:{len(content)}:".encode())
        feed(content)

    kind: Any = type(value)
    if value is None or kind in (bool, int, float, complex):
        piece(kind.__name__, repr(value).encode())
    elif kind is str:
        piece("str", value.encode("utf-8", "surrogatepass"))
    elif kind in (bytes, bytearray):
        piece(kind.__name__, bytes(value))
    elif isinstance(value, PurePath):
        piece("path", os.fspath(value).encode("utf-8", "surrogateescape"))
        piece("content", digest_of_files(Path(value)).encode())
    elif isinstance(value, enum.Enum):
        piece("enum", f"{kind.__module__}.{kind.__qualname__}.{value.name}".encode())
    elif kind in (list, tuple) or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        piece(kind.__name__, str(len(value)).encode())
        for number, each in enumerate(value):
            _feed(each, feed, f"{where}[{number}]")
    elif kind is dict:
        piece("dict", str(len(value)).encode())
        for key, each in value.items():
            _feed(key, feed, f"{where}: a key")
            _feed(each, feed, f"{where}[{key!r}]")
    elif kind in (set, frozenset):
        piece(kind.__name__, "".join(sorted(digest_of(each, where=f"{where}: an element") for each in value)).encode())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        piece("dataclass", f"{kind.__module__}.{kind.__qualname__}".encode())
        for field in dataclasses.fields(value):
            piece("field", field.name.encode())
            _feed(getattr(value, field.name), feed, f"{where}.{field.name}")
    elif not _feed_array(value, piece):
        raise UsageError(f"{where}: a {kind.__module__}.{kind.__qualname__} has no digest; {_ALLOWED}")


def _feed_array(value: Any, piece: Callable[[str, bytes], None]) -> bool:
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(value, (torch.dtype, torch.device)):
        piece("torch", str(value).encode())
    elif torch is not None and type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout == torch.strided and not value.is_meta:
        piece("tensor", f"{value.dtype} {list(value.shape)} {value.requires_grad}".encode())
        flat = value.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
        piece("values", ctypes.string_at(flat.data_ptr(), flat.numel() * flat.element_size()))
    elif numpy is not None and isinstance(value, numpy.dtype):
        piece("numpy", str(value).encode())
    elif numpy is not None and (type(value) is numpy.ndarray or isinstance(value, numpy.generic)) and not value.dtype.hasobject:
        piece("array", f"{value.dtype.descr} {list(value.shape)}".encode())
        piece("values", numpy.ascontiguousarray(value).tobytes())
    else:
        return False
    return True
