"""What the tests of the core share: small rules, a clock that obeys, and findings made in one line."""

from collections.abc import Iterator

from tensan.core.asks import Answer, Ask, Change, Intervention, Measure
from tensan.core.events.run import RunEnd, StepEnd
from tensan.core.events.things import Value
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.settings import Settings
from tensan.core.sites import Location
from tensan.core.watch import Watch


class EveryStep(Rule):
    """## What it does
    Says something at each step. And more.
    """

    code = "TST101"
    name = "every-step"

    def on_step_end(self, event: StepEnd) -> Iterator[Finding]:
        self.armed = True
        yield self.finding("a step was made", at=location(7), event=event, subjects={event.optimizer})


class Raising(Rule):
    code = "TST102"
    name = "raising"

    def on_step_end(self, event: StepEnd) -> Iterator[Finding]:
        self.armed = True
        yield self.finding("before it breaks", at=location(8), event=event)
        raise KeyError("oh")


class Asking(Rule):
    code = "TST103"
    name = "asking"
    preview = True

    def on_loss(self, loss: Loss) -> Iterator[Ask]:
        yield Ask(intervention=Intervention(change=Change.PERMUTE, subject="target"), measure=Measure.GRADIENT, note=loss)

    def on_answer(self, answer: Answer) -> Iterator[Finding]:
        proof = Proof.HINT if answer.value is None else Proof.INTERVENTION
        yield self.finding(f"the answer is {answer.value}", at=location(9), event=answer.ask.note, proof=proof)


class AtTheEnd(Rule):
    code = "TST104"
    name = "at-the-end"
    category = Category.SUSPICIOUS

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        yield self.finding("it has ended", at=None, event=event)


class Clock:
    """CPU time that moves when told."""

    def __init__(self):
        self.now = 1_000

    def __call__(self):
        return self.now

    def pass_(self, nanoseconds):
        self.now += nanoseconds


def location(line=1, path="/nowhere/train.py", **fields):
    return Location(path=path, line=line, **fields)


def finding(**fields):
    known = {"code": "TST100", "name": "made", "message": "something is wrong", "category": Category.CORRECTNESS, "location": location()}
    return Finding(**(known | fields))


def watching(*rules, settings=None, **more):
    return Watch(settings=settings or Settings(), rules=[rule() for rule in rules], **more)


def step(number=0, optimizer="optimizer:1"):
    return StepEnd(step=number, optimizer=optimizer)


def loss(number=0):
    return Loss(step=number, value=Value(shape=(), dtype="float32"))
