"""Training programs leave the same weights, optimizer states and generators behind, bit for bit; `make bench` runs the whole zoo."""

from pathlib import Path

import pytest

from tensan.testing import compare

HERE = Path(__file__).parent
ZOO = HERE.parents[1] / "zoo"
NAMES = ("regression_mlp", "gan", "vae", "data_workers", "grad_scaler_amp", "warm_restarts", "lbfgs_fit", "two_optimizers")


@pytest.mark.parametrize("program", [HERE / "everything.py", *(ZOO / f"{name}.py" for name in NAMES)], ids=lambda program: program.stem)
def test_bit_identical(program, stem):
    bare, watched = (stem.run(program, watched=watched, remains=True, limit=200.0) for watched in (False, True))
    assert bare.status == 0, bare.stderr
    assert len(bare.remains) > 5
    assert not compare(bare, watched)
    assert watched.report is not None
    assert watched.report.run.steps > 0


@pytest.mark.parametrize("share", [0.0, 100.0])
def test_bit_identical_whatever_is_looked_at(share, stem):
    program = HERE / "everything.py"
    bare, watched = stem.run(program, watched=False, remains=True), stem.run(program, flags={"overhead": share}, remains=True)
    assert not compare(bare, watched)
    assert watched.report is not None
    assert watched.report.run.steps == 240
