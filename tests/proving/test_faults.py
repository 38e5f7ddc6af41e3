"""Every part that records or tries fixes, made to raise: the program goes on unchanged, and the report says what was not done."""

import pytest
from adapters.test_fault_injection import PRELUDE, VISITING, failures, gave_up, parts
from proving.twins import source

from tensan.testing import compare

NEW = ("journal", "rehearsal", "twin", "virtual")
TARGETS = sorted({target for target in parts() if target.partition(":")[0].rpartition(".")[2] in NEW and not target.endswith(":_alone")})
#: Between them they come to most parts.
NAMES = (
    "stepped twice",
    "clipped too late",
    "head after optimizer",
    "no gradient",
    "eval mode",
    "broadcast",
    "wrong axis",
    "never cleared",
)


@pytest.fixture(scope="module")
def programs(stem, tmp_path_factory):
    """Each program, how it ends unwatched, and which functions of ours it comes to."""
    folder = tmp_path_factory.mktemp("faults")
    found = []
    for name in NAMES:
        path = folder / f"{name.replace(' ', '_')}.py"
        path.write_text(source(name, seed=0, mended=False))
        files = stem.run(path, prelude=VISITING, flags={"prove": True}, limit=300.0).files
        found.append((path, stem.run(path, watched=False, remains=True), set(files["visited"].decode().splitlines())))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.removeprefix("tensan.adapters.torch."))
def test_part(target, programs, stem):
    come = [(path, bare) for path, bare, visited in programs if target in visited]
    if not come:
        pytest.skip("no program comes here")
    path, bare = come[0]
    outcome = stem.run(path, prelude=PRELUDE.format(targets=[target]), remains=True, flags={"prove": True}, limit=300.0)
    if not outcome.files.pop("reached", None):
        pytest.skip("what looks it up did so before it was broken")
    assert not compare(bare, outcome)
    assert failures(outcome) or gave_up(outcome), outcome.report.run.not_checked
    assert not any("fix" in told.evidence for told in outcome.report.findings)
