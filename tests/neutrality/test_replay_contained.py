"""A step of programs whose forward does more than compute is played again, and everything they leave behind is as it was."""

import pytest
from neutrality.hostile import HOSTILE, program

from tensan.testing import compare


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_everything_left_behind_is_the_same(name, stem, tmp_path):
    path = tmp_path / "hostile.py"
    path.write_text(program(name))
    bare = stem.run(path, watched=False, remains=True)
    assert bare.status == 0, bare.stderr
    watched = stem.run(path, remains=True, flags={"preview": True, "overhead": 100.0})
    assert watched.report is not None, watched.stderr
    assert not watched.report.run.notes, watched.report.run.notes
    assert not compare(bare, watched)
    run = watched.report.run
    assert "SHP102" in run.rules_armed or any(what.startswith("replay (") for what in run.not_checked), run.rules_armed


def test_the_table_is_long_enough():
    assert len(HOSTILE) >= 100
