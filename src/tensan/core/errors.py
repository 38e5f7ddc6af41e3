"""Tensan's own errors: each names the key, the value, what is allowed, and where."""

from __future__ import annotations


class TensanError(Exception):
    """Base of all errors that Tensan itself raises."""


class UsageError(TensanError):
    """The user asked for something that cannot be; the command line shows it in one line and exits with 2."""


class SettingsError(UsageError):
    """A setting has a wrong name or value.

    Args:
        where: file, environment variable or flag that holds it.
        key: its name.
        problem: what is wrong, with the value and what is allowed.
    """

    def __init__(self, *, where: str, key: str, problem: str) -> None:
        super().__init__(f"{where}: {key}: {problem}")
        self.where, self.key, self.problem = where, key, problem


class RunFileError(TensanError):
    """A run file cannot be read: missing, of another version, or not a run file at all."""


class PluginError(TensanError):
    """A rule, adapter or sink of a third party cannot be loaded."""


class PoisonedStateError(TensanError, ValueError):
    """A state that is not finite was about to be loaded, and recovery was asked for: what is live stays as it is."""


class NotSplittableError(TensanError):
    """A batch does not fit into memory, and to differentiate it in parts would not give its gradient."""
