"""The lines around a guilty one, coloured, with the guilty span marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.findings import Told
from tensan.sinks._shown import clean, lines_of

#: Lines of source before and after the guilty one.
AROUND = 4
#: Longer files are not coloured as a whole, only the lines that are shown.
MOST_LINES = 5_000
#: Longer lines are shown as far as this.
LONGEST = 400


class Piece(msgspec.Struct, frozen=True):
    """A stretch of one line in one colour; `kind` is the class of its style."""

    text: str
    kind: str = ""
    guilty: bool = False


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of source."""

    number: int
    pieces: tuple[Piece, ...]
    guilty: bool = False


def lines_around(told: Told) -> tuple[SourceLine, ...]:
    """Returns the lines to show for a finding; only the one that the report kept where the file has changed since."""
    if not told.path or not told.line or not told.source.strip():
        return ()
    begin, end = max(1, told.line - AROUND), told.line + AROUND
    whole = lines_of(told.path)
    texts = whole[begin - 1 : end]
    if told.line > len(whole) or whole[told.line - 1].rstrip("\n") != told.source.rstrip("\n"):
        begin, texts = told.line, [told.source]
        coloured = list(_coloured(texts))
    else:
        coloured = list(_coloured_in_file(whole, begin, texts))
    while len(coloured) > 1 and not "".join(piece.text for piece in coloured[-1]).strip():
        coloured.pop()  # nothing stands below
    span = _span(told)
    return tuple(
        SourceLine(
            number=begin + offset,
            pieces=_marked(pieces, *span) if begin + offset == told.line else _visible(pieces),
            guilty=begin + offset == told.line,
        )
        for offset, pieces in enumerate(coloured)
    )


def _span(told: Told) -> tuple[int, int]:
    """Returns the guilty characters of the line, from and to; of a span over several lines, those of the first."""
    length = len(told.source.rstrip())
    if not told.column:
        return 0, 0
    whole = told.end_line is not None and told.line is not None and told.end_line > told.line
    end = length if whole or not told.end_column else told.end_column - 1
    return told.column - 1, max(min(end, length), told.column)


def _coloured_in_file(whole: Sequence[str], begin: int, texts: Sequence[str]) -> Iterator[tuple[Piece, ...]]:
    """Yields the lines as the whole file colours them: a line alone may lie within a string."""
    if len(whole) > MOST_LINES:
        yield from _coloured(texts)
    else:
        yield from list(_coloured(whole))[begin - 1 : begin - 1 + len(texts)]


def _coloured(texts: Sequence[str]) -> Iterator[tuple[Piece, ...]]:
    line: list[Piece] = []
    count = 0
    for kind, text in _tokens("".join(text if text.endswith("\n") else text + "\n" for text in texts)):
        first, *rest = text.split("\n")
        line.append(Piece(first, kind))
        for more in rest:
            yield tuple(line)
            count += 1
            line = [Piece(more, kind)]
    for _ in range(count, len(texts)):
        yield ()


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    try:
        from pygments.lexers.python import PythonLexer
        from pygments.token import Token
    except Exception:  # noqa: BLE001 - it comes with rich; a script may have taken its name, and the page does without colours
        yield "", text
        return
    kinds = {
        Token.Keyword: "keyword",
        Token.Operator.Word: "keyword",
        Token.Name.Builtin: "builtin",
        Token.Name.Function: "name",
        Token.Name.Class: "name",
        Token.Name.Decorator: "name",
        Token.Literal.String: "string",
        Token.Literal.Number: "number",
        Token.Comment: "comment",
    }
    for token, part in PythonLexer(ensurenl=False, stripnl=False).get_tokens(text):
        yield next((word for kind, word in kinds.items() if token in kind), ""), part


def _visible(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    room, kept = LONGEST, []
    for piece in pieces:
        if piece.text and room > 0:
            kept.append(Piece(_clean(piece.text[:room]), piece.kind, piece.guilty))
        room -= len(piece.text)
    return (*kept, Piece(" …")) if room < 0 else tuple(kept)


def _marked(pieces: Sequence[Piece], begin: int, end: int) -> tuple[Piece, ...]:
    cut, at = [], 0
    for piece in pieces:
        length = len(piece.text)
        first, last = (min(max(edge - at, 0), length) for edge in (begin, end))
        cut += [
            Piece(piece.text[:first], piece.kind),
            Piece(piece.text[first:last], piece.kind, guilty=True),
            Piece(piece.text[last:], piece.kind),
        ]
        at += length
    return _visible(cut)


def _clean(text: str) -> str:
    return "\t".join(map(clean, text.split("\t")))
