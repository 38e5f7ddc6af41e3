"""What programs do with torch beyond training with it: each prints, writes and ends the same, watched or not."""

from pathlib import Path

import pytest

from tensan.testing import compare

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_same_as_bare(program, stem):
    bare, watched = stem.run(program, watched=False), stem.run(program)
    assert bare.status == 0, bare.stderr
    assert watched.report is not None, watched.stderr
    assert not watched.report.run.notes
    assert watched.stdout.splitlines() == bare.stdout.splitlines()
    assert watched.stderr.splitlines() == bare.stderr.splitlines()
    assert not compare(bare, watched)


def test_the_table_is_long_enough():
    assert len(PROGRAMS) >= 30
