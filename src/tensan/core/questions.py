"""What a person asks of a recorded step: the words of `--ask`, how they are put to an adapter, and the answers in words."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from tensan.core.asks import UNCHANGED, Answer, Ask, Change, Intervention, Measure
from tensan.core.errors import SettingsError
from tensan.core.events.recorded import StepRecorded, Tokens
from tensan.core.events.things import Operation, Value
from tensan.core.events.training import Loss
from tensan.core.operations import EXPAND, LAYOUT
from tensan.core.provenance import Origin, maker, origin
from tensan.core.report import Reply
from tensan.core.sites import Location, Place, resolved, shown_path

MADE, PERMUTE, REPLACE, NOISE = "made", "permute", "replace", "noise"
SAMPLE, COLUMN = "sample", "column"
#: What may be asked: the first word, and what may stand after it.
WORDS = {MADE: ("FILE:LINE",), PERMUTE: ("FILE:LINE",), REPLACE: (SAMPLE, COLUMN), NOISE: ("future", "padding")}

#: Operations of one line that are told, and those whose operands are permuted; lines and names that are told of one value.
MOST_TOLD, MOST_PERMUTED, MOST_LINES, MOST_NAMES = 12, 4, 8, 8
#: Where a value is from that no recorded operation made.
_BATCH, _BEFORE = "delivered by a loader", "there before the recorded step"
#: Change of the output, relative to how much outputs differ, that is more than rounding.
_MOVED = 1e-5


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question as it was understood.

    Attributes:
        text: as it was put.
        subject: `sample`, `column`, `future` or `padding`; empty where the question is about a line.
        path, line: the line that it is about.
    """

    text: str
    word: str
    subject: str = ""
    path: str = ""
    line: int = 0


def parsed(text: str) -> Question:
    """Returns what a question asks.

    Raises:
        SettingsError: when it is none that can be asked, with those that can.
    """
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    place = re.fullmatch(r"(.+):([1-9]\d{0,8})", rest)
    if word in (MADE, PERMUTE) and place is not None:
        return Question(text=text, word=word, path=place[1], line=int(place[2]))
    if word in (REPLACE, NOISE) and rest in WORDS[word]:
        return Question(text=text, word=word, subject=rest)
    expected = [f"`{known} {after}`" for known, several in WORDS.items() for after in several if word not in WORDS or known == word]
    raise SettingsError(where="--ask", key=word or "(empty)", problem=f"expected {' or '.join(expected)}, got {text!r}")


class Questions:
    """Listens for the first recorded step that can answer each question.

    Args:
        texts: the questions.

    Raises:
        SettingsError: when one of them cannot be asked.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._replies = {
            question: Reply(question=question.text, why_not="no step was recorded") for question in dict.fromkeys(map(parsed, texts))
        }
        self._open = list(self._replies)
        self._heard: list[Answer] = []
        self._paths = {question: os.path.abspath(question.path) for question in self._open if question.path}

    def replies(self) -> list[Reply]:
        """Returns the answers, in the order of the questions."""
        return list(self._replies.values())

    # ---- events ----

    def on_loss(self, loss: Loss) -> Iterator[Ask]:
        questions = [question for question in self._open if question.line]
        # Many operations share a place, and resolving one is the costly part.
        sites = {operation.site for operation in loss.operations} if questions else set()
        places = {site: at for site, at in ((site, resolved(site)) for site in sites) if at is not None}
        for question in questions:
            on_line = {site for site, at in places.items() if self._is_on(question, at)}
            operations = [operation for operation in loss.operations if operation.site in on_line]
            if not operations:
                self._refuse(question, f"no recorded operation ran on that line{self._others(question, places.values())}")
            elif question.word == MADE:
                self._settle(question, _made(loss, operations), step=loss.step)
            else:
                self._heard = []
                yield from _permutations(loss, operations)
                self._settle(question, _permuted(self._heard), step=loss.step)

    def on_step_recorded(self, recorded: StepRecorded) -> Iterator[Ask]:
        for question in [question for question in self._open if question.subject]:
            self._heard = []
            yield from _of_step(question, recorded)
            self._settle(question, _moved(self._heard, recorded, question.subject), step=recorded.step)

    def on_answer(self, answer: Answer) -> Iterator[Ask]:
        self._heard.append(answer)
        return iter(())

    # ---- answers ----

    def _settle(self, question: Question, reply: Reply, *, step: int) -> None:
        if reply.why_not:
            self._refuse(question, reply.why_not)
            return
        self._open.remove(question)
        self._replies[question] = msgspec.structs.replace(reply, question=question.text, step=step)

    def _refuse(self, question: Question, why_not: str) -> None:
        """Keeps the question open: a later step may answer it."""
        self._replies[question] = Reply(question=question.text, why_not=why_not)

    # ---- lines ----

    def _is_on(self, question: Question, at: Location) -> bool:
        return at.line <= question.line <= max(at.line, at.end_line) and self._is_in(question, at)

    def _is_in(self, question: Question, at: Location) -> bool:
        asked = os.path.normpath(question.path)
        return os.path.abspath(at.path) == self._paths[question] or f"{os.sep}{at.path}".endswith(f"{os.sep}{asked}")

    def _others(self, question: Question, places: Collection[Location]) -> str:
        """Says which lines of the file did run, those nearest to the one that was asked for."""
        lines = {at.line for at in places if self._is_in(question, at)}
        near = sorted(sorted(lines, key=lambda line: abs(line - question.line))[:MOST_NAMES])
        if near:
            return f"; in that file they ran on {', '.join(map(str, near))}"
        files = sorted({shown_path(at.path) for at in places})
        return f"; they ran in {', '.join(files[:MOST_NAMES])}" if files else ""


# ---- made -----------------------------------------------------------------------------------------------------------


def _made(loss: Loss, operations: Sequence[Operation]) -> Reply:
    """Tells what each operation of a line was given, and where that came from."""
    here = {operation.index for operation in operations}
    lines, details = [], []
    for operation in operations[:MOST_TOLD]:
        result = ", ".join(map(str, operation.outputs))
        lines.append(f"`{operation.name}` made {result or 'nothing'}" + (" of" if operation.inputs else ""))
        told = []
        ranges = loss.spreads.get(operation.index, ())
        for position, value in enumerate(operation.inputs):
            spread = ranges[position] if position < len(ranges) else None
            limits = (spread.minimum, spread.maximum) if spread is not None else None
            by, at = maker(loss, value)
            behind = origin(loss, value)
            words = (
                [f"made by `{loss.operations[value.producer].name}` on this line"] if value.producer in here else _behind(by, at, behind)
            )
            lines.append(f"  {value}" + (f" in [{limits[0]:.4g}, {limits[1]:.4g}]" if limits else "") + f": {'; '.join(words)}")
            told.append(
                {
                    "is": str(value),
                    "range": limits,
                    "requires_grad": value.requires_grad,
                    "made_by": by,
                    "made_at": _line(at),
                    "through": [{"at": _line(place), "operations": names} for place, names in behind.lines[:MOST_LINES]],
                    "parameters": behind.parameters[:MOST_NAMES],
                    "outside": [_outside(given) for given in behind.outside[:MOST_NAMES]],
                }
            )
        details.append({"operation": operation.name, "at": _line(operation.site), "made": result, "of": told})
    if len(operations) > MOST_TOLD:
        lines.append(f"and {len(operations) - MOST_TOLD} more operations on this line")
    return Reply(question="", text="\n".join(lines), details={"operations": details})


def _behind(by: str, at: Place, behind: Origin) -> list[str]:
    value = behind.value
    if (value.subject or "").startswith("parameter"):
        return [f"parameter `{behind.parameters[0]}`"]
    if value.producer < 0:
        return [_BATCH if value.subject == "batch" else _BEFORE]
    words = [f"made by {by} at {_line(at)}"] if by else []
    # Of many operations on one line, a forward among them, the first ones say enough.
    way = [f"{_line(place)} ({_few(names, 'more')})" for place, names in behind.lines]
    words.append(f"through {_few(way, 'more lines')}")
    if behind.parameters:
        words.append(f"from the parameters {_few([f'`{name}`' for name in behind.parameters], 'more')}")
    if behind.outside:
        words += [f"from {text}" for text in map(_outside, behind.outside[:MOST_NAMES])]
    return words


def _outside(value: Value) -> str:
    return f"{value}, {_BATCH if value.subject == 'batch' else _BEFORE}"


def _few(names: Sequence[str], rest: str) -> str:
    kept = ", ".join(names[:MOST_NAMES])
    return f"{kept} and {len(names) - MOST_NAMES} {rest}" if len(names) > MOST_NAMES else kept


def _line(place: Place) -> str:
    at = resolved(place)
    return f"{shown_path(at.path)}:{at.line}" if at is not None else "no line of the program"


# ---- permute --------------------------------------------------------------------------------------------------------


def _permutations(loss: Loss, operations: Sequence[Operation]) -> Iterator[Ask]:
    """Asks what becomes of the gradient when what is given without gradient is permuted along the batch."""
    asked = 0
    for operation in operations:
        if not any(value.requires_grad for value in operation.inputs):
            continue
        for position, value in enumerate(operation.inputs):
            given = not value.requires_grad and value.shape and not (value.subject or "").startswith("parameter")
            if not given or asked == MOST_PERMUTED:
                continue
            asked += 1
            begin = min(_before_layout(loss.operations, operand) for operand in operation.inputs)
            yield Ask(
                intervention=Intervention(
                    change=Change.PERMUTE,
                    subject=f"operation:{operation.index}:{position}",
                    settings={"begin": min(begin, operation.index)},
                ),
                measure=Measure.GRADIENT,
                step=loss.step,
                note=(operation, value),
                insists=True,
            )


def _before_layout(operations: Sequence[Operation], value: Value) -> int:
    """Returns the first of the operations that only laid a value out: the gradient is looked at before them."""
    first = len(operations)
    while value.producer >= 0 and operations[value.producer].name in LAYOUT | EXPAND and operations[value.producer].inputs:
        first, value = value.producer, operations[value.producer].inputs[0]
    return first


def _permuted(answers: Sequence[Answer]) -> Reply:
    if not answers:
        return Reply(question="", why_not="nothing on that line meets a value that gradient flows through, and is itself given without")
    concluded = [answer for answer in answers if answer.value is not None]
    if not concluded:
        return Reply(question="", why_not="; ".join(dict.fromkeys(answer.why_not for answer in answers)))
    lines, details = [], []
    for answer in concluded:
        assert isinstance(answer.ask.note, tuple)
        operation, value = answer.ask.note
        changes = f"changes the gradient by {answer.value:.2g} of its norm"
        says = "samples are not matched here" if (answer.value or 0) < UNCHANGED else "it matters which sample meets which"
        lines.append(f"`{operation.name}`: permuting {value} along the batch {changes}: {says}")
        details.append({"operation": operation.name, "permuted": str(value), "value": answer.value})
    return Reply(question="", text="\n".join(lines), value=concluded[0].value, details={"operations": details})


# ---- replace, noise -------------------------------------------------------------------------------------------------


def _of_step(question: Question, recorded: StepRecorded) -> Iterator[Ask]:
    if question.word == REPLACE:
        yield _asked(recorded, Change.REPLACE, f"{question.subject}:{int(question.subject == SAMPLE)}", Measure.OUTPUT)
    for tokens in recorded.tokens:
        if question.subject == "future" and tokens.shift:
            yield _asked(recorded, Change.NOISE, f"future:{tokens.operation}", Measure.OUTPUT, tokens)
        elif question.subject == "padding" and tokens.padding:
            yield _asked(recorded, Change.NOISE, f"padding:{tokens.operation}", Measure.LOSS, tokens)


def _asked(recorded: StepRecorded, change: Change, subject: str, measure: Measure, tokens: Tokens | None = None) -> Ask:
    return Ask(intervention=Intervention(change=change, subject=subject), measure=measure, step=recorded.step, note=tokens, insists=True)


def _moved(answers: Sequence[Answer], recorded: StepRecorded, subject: str) -> Reply:
    """Says what moved, by how much, and from which operation on."""
    if not answers:
        wanted = "whose targets are its own elements one or two steps later" if subject == "future" else "whose rows end in a filler"
        return Reply(question="", why_not=f"the model looks up no sequence {wanted}")
    concluded = [answer for answer in answers if answer.value is not None]
    if not concluded:
        return Reply(question="", why_not="; ".join(dict.fromkeys(answer.why_not for answer in answers)))
    if subject == COLUMN:
        return _columns(concluded[0])
    lines, details = [], []
    for answer in concluded:
        value, seen = answer.value or 0.0, answer.details
        did, what, of = {
            "sample": (
                "replacing sample 1 by another",
                f"the output of {seen.get('others', 'no')} other samples",
                "how much outputs differ",
            ),
            "future": (f"changing the tokens from position {seen.get('since')} on", "the predictions before it", "how much they differ"),
            "padding": (f"changing what the {_padding(answer)} padded places hold", "the loss", "itself"),
        }[subject]
        if value <= (0 if subject == "padding" else _MOVED):
            lines.append(f"{did} moves {'no output of another sample' if subject == 'sample' else f'{what} by nothing'}")
        else:
            index = seen.get("operation")
            root = recorded.loss.operations[index] if isinstance(index, int) else None
            begins = f"; it begins with `{root.name}` at {_line(root.site)}" if root is not None else ""
            routed = ", through whole numbers such as a routing" if seen.get("routed") else ""
            lines.append(f"{did} moves {what} by {value:.2g} of {of}{begins}{routed}")
        details.append({"value": value, **{key: seen[key] for key in ("operation", "others", "own", "since", "routed") if key in seen}})
    return Reply(question="", text="\n".join(lines), value=concluded[0].value, details={"answers": details})


def _columns(answer: Answer) -> Reply:
    """Says which columns of what the model is given move none of its outputs."""
    lines, tables = [], answer.details.get("tables")
    assert isinstance(tables, list)
    for table in tables:
        shape, still, alike = table["shape"], table["still"], table["alike"]
        moving = shape[1] - len(still) - len(alike)
        line = f"of the {shape[1]} columns of [{', '.join(map(str, shape))}], {moving} move the output when their values are exchanged"
        line += " among the samples"
        if still:
            line += f"; moving nothing: {_few([*map(str, still)], 'more')}"
        if alike:
            line += f"; with one value throughout: {_few([*map(str, alike)], 'more')}"
        lines.append(line)
    return Reply(question="", text="\n".join(lines), value=answer.value, details={"tables": tables})


def _padding(answer: Answer) -> int:
    return answer.ask.note.padding if isinstance(answer.ask.note, Tokens) else 0
