"""`--prove`: fixes are tried on the recorded first steps, what is reported of them is true, and the program stays what it is without."""

import math
import re
import statistics
from pathlib import Path

import pytest
from neutrality.hostile import HOSTILE, program
from proving.twins import LOOPS, TWINS, source

from tensan.testing import compare

TESTS = Path(__file__).parents[1]
ZOO = TESTS.parent / "zoo"
SEEDS = 5


@pytest.fixture
def run(stem, tmp_path):
    def run(text, **settings):
        path = tmp_path / "program.py"
        path.write_text(text)
        return stem.run(path, limit=300.0, **settings)

    return run


def tried(outcome, code):
    found = next(told for told in outcome.report.findings if told.code == code)
    return found.evidence.get("fix"), outcome.report.run.not_checked


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_the_reported_sign_is_that_of_the_true_gain(name, run):
    """By how much a fix lowers the logarithm of the loss on unseen data, measured on whole programs, and as it is reported of each."""
    gains, told = [], []
    for seed in range(SEEDS):
        before, after = (
            float(run(source(name, seed=seed, mended=mended), watched=False).stdout.splitlines()[-1]) for mended in (False, True)
        )
        gains.append(math.log(before / after) if math.isfinite(before) else 50.0)
        fix, not_checked = tried(run(source(name, seed=seed, mended=False), flags={"prove": True}), TWINS[name][0])
        assert fix is not None, not_checked
        told.append(fix)
    mean, spread = statistics.mean(gains), 2.776 * statistics.stdev(gains) / math.sqrt(SEEDS)
    print(f"{name}: {mean:.3f} +- {spread:.3f}, reported", [round(-math.log1p(-fix["less"]), 3) for fix in told])
    if abs(mean) > spread:
        assert all((fix["less"] > 0) == (mean > 0) for fix in told)
        assert sum(fix["concluded"] for fix in told) >= SEEDS - 1


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", ["squashed", "no gradient", "eval mode"])
def test_loops_of_other_kinds(name, loop, run):
    before, after = (
        float(run(LOOPS[loop](source(name, seed=0, mended=mended)), watched=False).stdout.splitlines()[-1]) for mended in (False, True)
    )
    outcome = run(LOOPS[loop](source(name, seed=0, mended=False)), flags={"prove": True})
    fix, not_checked = tried(outcome, TWINS[name][0])
    assert fix is not None, not_checked
    assert fix["concluded"] or loop == "two models"  # of which half as many passes each are recorded
    assert (fix["less"] > 0) == (after < before)
    assert fix["before"] == pytest.approx(before, rel=0.9)  # in units of the loss, not of what a scaler makes of it


def test_it_is_said(run):
    outcome = run(source("cleared too early", seed=0, mended=False), flags={"prove": True})
    words = r"= fix: held-out loss from \d\S* to \d\S* in \d+ replayed steps, \d+ % less \(\d+ % less to \d+ % less in 5 orders"
    assert re.search(words, outcome.printed), outcome.printed
    fix, not_checked = tried(outcome, "OPT105")
    assert fix["concluded"]
    assert fix["before"] > fix["after"]
    assert not not_checked


def test_nothing_is_paid_without(run):
    text = source("cleared too early", seed=0, mended=False)
    bare, proving = run(text), run(text, flags={"prove": True})
    assert tried(bare, "OPT105") == (None, [])
    assert bare.report.run.cost["deep_steps"] <= 8
    assert proving.report.run.cost["deep_steps"] >= 32
    assert bare.report.run.cost["hook_calls"] < proving.report.run.cost["hook_calls"]


#: What is done to the gradients by hand is not written down; L-BFGS computes them several times a step; data that come again cannot be held
#: out; what two optimizers make of their own losses is no sum.
REFUSED = {
    "does not give the same losses": lambda text: text.replace(
        "loss.backward()", "loss.backward(); [p.grad.mul_(0.5) for p in model.parameters()]"
    ),
    "a batch that comes again": lambda text: text.replace("for x, y in loader", "for x, y in [(X[:32], Y[:32])] * 32"),
    "power of two": lambda text: text.replace("loss.backward()", "torch.amp.GradScaler('cpu', init_scale=1000.0).scale(loss).backward()"),
    "several times, in a closure": lambda text: LOOPS["closure"](
        re.sub(r"torch.optim.Adam\(.*\)", "torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)", text)
    ),
    "losses of their own": lambda text: (
        text.replace("loss.backward()", "loss.backward()\n        other = model(x + 0.1).pow(2).mean()\n        other.backward()")
        .replace("optimizer.step()", "optimizer.step(); second.step()")
        .replace("model.train()", "second = torch.optim.SGD(model.head.parameters(), lr=1e-4); model.train()", 1)
    ),
    "no optimizer of torch's own": lambda text: text.replace("torch.optim.SGD", "type('Mine', (torch.optim.SGD,), {})"),
}
#: These would hide that gradients are never cleared.
OF_THE_LOOP = {"several times, in a closure", "losses of their own"}


@pytest.mark.parametrize("reason", REFUSED)
def test_refuses(reason, run):
    name = "squashed" if reason in OF_THE_LOOP else "never cleared"
    outcome = run(REFUSED[reason](source(name, seed=0, mended=False)), flags={"prove": True})
    code, *_ = TWINS[name]
    fix, not_checked = tried(outcome, code)
    assert fix is None
    expected = "fewer than six different batches" if reason == "a batch that comes again" else reason
    assert any(what.startswith(f"fix of {code} (") and expected in what for what in not_checked), not_checked


PROGRAMS = ["everything", "gan", "lbfgs_fit", "grad_scaler_amp", "data_workers", "two_optimizers"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_right_programs_stay_the_same(name, stem):
    path = TESTS / "neutrality" / "everything.py" if name == "everything" else ZOO / f"{name}.py"
    bare, proving = (
        stem.run(path, watched=False, remains=True, limit=300.0),
        stem.run(path, remains=True, flags={"prove": True}, limit=300.0),
    )
    assert bare.status == 0, bare.stderr
    assert not compare(bare, proving)
    assert not proving.report.run.notes


@pytest.mark.parametrize("name", ["broadcast", "clipped too late", "eval mode"])
def test_wrong_programs_stay_the_same(name, run):
    text = source(name, seed=1, mended=False)
    bare, proving = run(text, watched=False, remains=True), run(text, remains=True, flags={"prove": True})
    assert tried(proving, TWINS[name][0])[0] is not None
    assert not compare(bare, proving)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_everything_left_behind_is_the_same(name, run):
    text = program(name, rows=192, cleared=True)
    bare, proving = run(text, watched=False, remains=True), run(text, remains=True, flags={"prove": True})
    assert bare.status == 0, bare.stderr
    assert proving.report is not None, proving.stderr
    assert not proving.report.run.notes
    assert not compare(bare, proving)
    run_of = proving.report.run
    assert any("fix" in told.evidence for told in proving.report.findings) or run_of.not_checked, [t.code for t in proving.report.findings]


@pytest.mark.parametrize("name", ["never cleared", "cleared too early"])
def test_two_models_are_judged_apart(name, run):
    """Each has an optimizer and a loss of its own: what becomes of one says nothing of the other, and its gradients are left alone."""
    before, after = (
        float(run(LOOPS["two models"](source(name, seed=0, mended=mended)), watched=False).stdout.splitlines()[-1])
        for mended in (False, True)
    )
    outcome = run(LOOPS["two models"](source(name, seed=0, mended=False)), flags={"prove": True})
    fix, not_checked = tried(outcome, TWINS[name][0])
    assert fix is not None, not_checked
    assert (fix["less"] > 0) == (after < before)
