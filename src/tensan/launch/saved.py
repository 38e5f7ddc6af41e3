"""Reads a report back, whatever it was written as."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tensan.core import runfile
from tensan.core.errors import RunFileError
from tensan.core.report import SCHEMA, Report


def read(path: Path) -> Report:
    """Returns the report of a run file or of a JSON document.

    Raises:
        RunFileError: when it is neither, is of another version, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            document = msgspec.json.decode(file.read())
    except OSError as error:
        raise RunFileError(f"{path}: cannot be read: {error.strerror or error}") from error
    except msgspec.DecodeError:
        return runfile.read(path)
    if not isinstance(document, dict) or "schema" not in document:
        return runfile.read(path)
    if document["schema"] != SCHEMA:
        raise RunFileError(f"{path}: was written in schema {document['schema']}; this tensan reads schema {SCHEMA}")
    try:
        return msgspec.convert(document, Report)
    except msgspec.ValidationError as error:
        raise RunFileError(f"{path}: is not a report of tensan: {error}") from error
