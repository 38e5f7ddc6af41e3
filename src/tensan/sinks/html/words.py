"""How the page says things: text of a program made harmless, code in backticks set as code, numbers at a readable length."""

from __future__ import annotations

import math
import re

from markupsafe import Markup, escape

from tensan.sinks._shown import clean

_CODE = re.compile(r"`([^`\n]+)`")


def harmless(value: object) -> str:
    """Returns text without characters that cannot be seen or that turn the direction of what follows; lines stay lines."""
    return "\n".join(clean(line.replace("\t", "    ")) for line in str(value).splitlines())


def prose(value: object) -> Markup:
    """Returns text as HTML, with what stands in backticks as code."""
    return Markup(_CODE.sub(lambda match: f"<code>{match[1]}</code>", str(escape(harmless(value)))))


def finished(value: object) -> object:
    """Returns what a template puts into the page: what is HTML already as it is, all else harmless; jinja2 escapes it then."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else harmless(value)


def number(value: float) -> str:
    """Returns a number with three or four significant digits."""
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value):,}"
    return f"{value:.4g}" if 1e-3 <= abs(value) < 1e6 else f"{value:.2e}"


def counted(count: int, word: str) -> str:
    """Returns a count with its word, in the plural where it is not one."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
