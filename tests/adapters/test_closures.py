"""Steps that are given a closure: watched as bare, and gated once the closure has computed the gradients."""

from pathlib import Path

from tensan.testing import compare

PROGRAM = Path(__file__).parent / "programs" / "closure_gate.py"


def test_watching_changes_nothing(stem):
    bare, watched = stem.run(PROGRAM, watched=False, remains=True), stem.run(PROGRAM, remains=True)
    assert bare.stdout.splitlines() == ["SGD False", "LBFGS False"]
    assert not compare(bare, watched)
    (found,) = watched.report.roots
    assert (found.code, found.step) == ("NUM101", 5)


def test_a_broken_step_is_skipped(stem):
    outcome = stem.run(PROGRAM, flags={"recover": "skip"})
    assert outcome.stdout.splitlines() == ["SGD stood still at 5", "SGD True", "LBFGS stood still at 5", "LBFGS True"]
    assert [(action.kind, action.step, action.optimizer) for action in outcome.report.run.actions] == [
        ("skip", 5, "optimizer:1"),
        ("skip", 17, "optimizer:2"),
    ]
    assert not any("gate" in what for what in outcome.report.run.not_checked)
