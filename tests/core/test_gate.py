"""The gate: asked before a step takes effect."""

from core.making import watching

from tensan.core.gate import Gate, Passage, Verdict


def passage(nonfinite=0.0):
    return Passage(optimizer="optimizer:1", step=3, nonfinite=nonfinite)


def test_an_open_gate_measures_nothing():
    gate = Gate()
    assert gate.is_open
    assert gate.decide(passage(1.0)) is Verdict.PROCEED
    assert gate.turned_away == 0


def test_the_first_that_objects_decides():
    gate, asked = Gate(), []

    def judge(name, verdict):
        return lambda _: (asked.append(name), verdict)[1]

    gate.judges += [judge("a", Verdict.PROCEED), judge("b", Verdict.REWIND), judge("c", Verdict.SKIP)]
    assert gate.decide(passage()) is Verdict.REWIND
    assert asked == ["a", "b"]


def test_a_judge_closes_it_and_refusals_are_counted():
    gate = watching().gate
    assert gate.is_open
    gate.judges.append(lambda asked: Verdict.SKIP if asked.nonfinite else Verdict.PROCEED)
    assert not gate.is_open
    assert [gate.decide(passage(share)) for share in (0.0, 1e-9, 1.0)] == [Verdict.PROCEED, Verdict.SKIP, Verdict.SKIP]
    assert gate.turned_away == 2
