"""Every part of recovery, made to raise: the program goes on unchanged, and the report says what was switched off."""

from pathlib import Path

import pytest

from tensan.testing import compare

PROGRAM = Path(__file__).parent / "programs" / "idioms.py"
PRELUDE = """
import functools, importlib
module, _, path = {target!r}.partition(":")
owner = importlib.import_module(module)
*parents, name = path.split(".")
for parent in parents:
    owner = getattr(owner, parent)

@functools.wraps(getattr(owner, name))
def broken(*args, **kwargs):
    raise RuntimeError("injected")

setattr(owner, name, broken)
"""
PARTS = (
    "guard:Guard.adopt",
    "guard:Guard.asks",
    "guard:Guard.is_turned_away",
    "guard:Guard.begin",
    "guard:Guard.stepped",
    "guard:Guard.finish",
    "guard:Guard.refuses",
    "guard:Guard.refuses_load",
    "gating:covers",
    "drawn:Drawn.drew",
    "drawn:Drawn.delivered",
    "drawn:Drawn.positions",
    "averages:Averages.copied",
    "averages:Averages.stepped",
    "buffers:Buffers.refresh",
    "moments:Moments.broken",
    "ring:Snapshot.__init__",
    "ring:Ring.complete",
    "ring:random_states",
)
#: Programs that come by the parts.
PASSES = {
    "guard:Guard.refuses": "manual_checkpoints",
    "guard:Guard.refuses_load": "resume",
    "drawn:Drawn.drew": "loader",
    "drawn:Drawn.delivered": "loader",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_failing_part_costs_no_more_than_recovery(stem, part):
    program = PASSES.get(part, "plain")
    prelude = PRELUDE.format(target=f"tensan.adapters.torch.{part}")
    bare = stem.run(PROGRAM, arguments=[program, "clean"], watched=False, remains=True)
    outcome = stem.run(
        PROGRAM, arguments=[program, "clean"], flags={"recover": "rewind", "snapshots": "../kept"}, prelude=prelude, remains=True
    )
    assert not compare(bare, outcome)
    assert len([note for note in outcome.report.run.notes if "TEN901" in note and "injected" in note]) == 1, outcome.report.run.notes
