"""An argument parser that teaches in its help and states errors in one line."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from typing import NoReturn

from tensan.core.errors import UsageError


class Parser(argparse.ArgumentParser):
    """`argparse` with the house's manners.

    Args:
        prog: the command as it is typed.
        about: what it does, shown above the options; examples and the rest go into the `epilog`.
    """

    def __init__(self, *, prog: str, about: str, epilog: str = "") -> None:
        super().__init__(prog=prog, description=about, epilog=epilog, formatter_class=argparse.RawTextHelpFormatter, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raises instead of printing the usage: the command line shows one line."""
        raise UsageError(f"{message} (`{self.prog} --help` shows what there is)")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Reads the words of a command.

        Raises:
            UsageError: for a word that is not understood, with the flag that comes nearest to it.
        """
        options, unknown = self.parse_known_args(words)
        if unknown:
            near = difflib.get_close_matches(unknown[0].partition("=")[0], self._option_string_actions, n=1)
            self.error(f"unknown argument {unknown[0]!r}" + (f"; did you mean {near[0]}?" if near else ""))
        return options


def first_sentence(text: str) -> str:
    """Returns the first sentence of a docstring, as help shows it."""
    return text.strip().partition("\n")[0].rstrip(".")
