"""A rule: one silent failure that it listens for, in one file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

import msgspec

from tensan.core.asks import Answer, Ask
from tensan.core.edits import Repair
from tensan.core.events.base import Event
from tensan.core.findings import Category, Finding, Proof, Related
from tensan.core.sites import Place
from tensan.core.stats import Stat

Told = Iterable[Finding | Ask]


class Rule:
    """Base of all rules. A subclass says what it is and has a method `on_<event>` for each event it wants.

    The docstring of a rule is its page; its headings are *What it does*, *Why is this bad?*, *Example*, *Use instead* and
    *Known problems*. One instance lives for one run and may keep state.

    Attributes:
        code: family and number, such as `SHP101`; never used again.
        name: the bad thing in kebab case: one can say "ignore broadcast-in-loss".
        category: how sure this kind of failure is to be one.
        law: number of the law of training it guards, 0 for none.
        since: the version that brought it.
        preview: whether it is still on trial: its findings are hints, shown when asked.
        needs: statistics that the adapter must compute.
        explains: effects that its findings account for; effect: what follows from its findings.
        armed: whether its precondition has been met in this run, so that it could have spoken.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    category: ClassVar[Category] = Category.CORRECTNESS
    law: ClassVar[int] = 0
    since: ClassVar[str] = "0.1.0"
    preview: ClassVar[bool] = False
    needs: ClassVar[tuple[Stat, ...]] = ()
    effect: ClassVar[str] = ""
    explains: ClassVar[frozenset[str]] = frozenset()

    class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
        """Settings of one rule, under `[tool.tensan.rules.<name>]`."""

    def __init__(self, options: Rule.Options | None = None) -> None:
        self.options = options or self.Options()
        self.armed = False

    def finding(
        self,
        message: str,
        *,
        at: Place,
        event: Event,
        label: str = "",
        evidence: Mapping[str, object] | None = None,
        related: Iterable[tuple[str, Place]] = (),
        proof: Proof = Proof.LAW,
        proof_note: str = "",
        help: str = "",
        subjects: Iterable[str] = (),
        repairs: Iterable[Repair] = (),
        fix: Ask | None = None,
    ) -> Finding:
        """Returns a finding of this rule; related places without a location are left out."""
        return Finding(
            code=self.code,
            name=self.name,
            message=message,
            category=self.category,
            proof=proof,
            location=at,
            label=label,
            evidence=evidence or {},
            related=tuple(Related(message=text, location=place) for text, place in related if place is not None)[:2],
            proof_note=proof_note,
            help=help,
            step=event.step,
            subjects=frozenset(subjects),
            effect=self.effect,
            explains=self.explains,
            preview=self.preview,
            repairs=tuple(repairs),
            fix=fix,
        )

    def on_answer(self, answer: Answer) -> Told:
        """Hears what an adapter saw when it ran the step again."""
        return ()

    # ---- what the tool, the docs and the tests read ----

    @classmethod
    def summary(cls) -> str:
        """The first sentence of the page."""
        sections = cls.sections()
        text = sections.get("What it does") or next(iter(sections.values()), "")
        return re.split(r"(?<=[.])\s", " ".join(text.split()), maxsplit=1)[0]

    @classmethod
    def page(cls) -> str:
        """The whole page, in Markdown."""
        return inspect.cleandoc(cls.__doc__ or "")

    @classmethod
    def sections(cls) -> dict[str, str]:
        """The page by heading; text before the first heading stands under an empty one."""
        parts = re.split(r"^#+ *(.+?) *$", cls.page(), flags=re.MULTILINE)
        found = {"": parts[0].strip()} if parts[0].strip() else {}
        return found | {heading: body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}

    @classmethod
    def family(cls) -> str:
        """The letters of the code: where it hurts."""
        return cls.code.rstrip("0123456789")

    @classmethod
    def answers_to(cls, selector: str) -> bool:
        """Tells whether a selector (`SHP101`, `SHP`, `broadcast-in-loss`, `ALL`) names this rule."""
        return selector in ("ALL", cls.code, cls.name) or (
            selector.isalpha() and cls.code.startswith(selector.upper()) and selector.isupper()
        )


def named(rules: Iterable[type[Rule]], selector: str) -> Iterator[type[Rule]]:
    """Yields the rules that a selector names."""
    return (rule for rule in rules if rule.answers_to(selector))
