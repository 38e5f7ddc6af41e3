"""What a rule's class tells: its page, its family, what selects it."""

import pytest
from core.making import EveryStep, finding, location, step

from tensan.core.findings import Level, Proof
from tensan.core.rule import Rule, named


class Documented(Rule):
    """
    ## What it does
    Finds one thing. And then explains.

    ## Why is this bad?
    Because it is.
    Twice.

    ## Example
    ```python
    x = 1  # not a heading
    ```

    ## Use instead
    ```python
    x = 2
    ```

    ## Known problems
    None.
    """

    code = "TST120"
    name = "documented-thing"
    effect = "no-update"
    explains = frozenset({"no-gradient"})


class Bare(Rule):
    code = "TST121"
    name = "bare"


def test_the_page_is_read_by_heading():
    sections = Documented.sections()
    assert list(sections) == ["What it does", "Why is this bad?", "Example", "Use instead", "Known problems"]
    assert sections["Why is this bad?"] == "Because it is.\nTwice."
    assert sections["Example"].startswith("```python\nx = 1")
    assert Documented.summary() == "Finds one thing."
    assert Documented.page().startswith("## What it does")


def test_a_rule_without_a_page():
    assert Bare.page() == ""
    assert Bare.summary() == ""
    assert Bare.family() == "TST"


@pytest.mark.parametrize("selector", ["TST120", "TST", "documented-thing", "ALL"])
def test_selectors_that_name_it(selector):
    assert Documented.answers_to(selector)
    assert list(named([Documented], selector)) == [Documented]


@pytest.mark.parametrize("selector", ["TST12", "tst", "tst120", "OPT", "documented", "", "all", "T.T"])
def test_selectors_that_do_not(selector):
    assert not Documented.answers_to(selector)


def test_a_finding_knows_its_rule():
    made = Documented().finding("x", at=location(3), event=step(5), related=[("a", None), ("b", location(1)), ("c", location(2))])
    assert (made.code, made.name, made.step, made.effect) == ("TST120", "documented-thing", 5, "no-update")
    assert made.explains == {"no-gradient"}
    assert (made.proof, made.level) == (Proof.LAW, Level.ERROR)
    assert [place.message for place in made.related] == ["b", "c"]


def test_each_rule_has_its_own_state():
    first, second = EveryStep(), EveryStep()
    list(first.on_step_end(step()))
    assert first.armed
    assert not second.armed
    assert finding().evidence == {}
