"""What is written beside a script's TensorBoard files, read back by TensorBoard's own reader."""

import re

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer

#: A line of its log, what comes before the first one, and the second line of one.
_OF_TENSORFLOW = re.compile(r"^[IWE]\d{4} |absl::InitializeLog|^To enable the following instructions")


def own(stderr):
    """Returns what the script itself has said: on some processors TensorFlow, which TensorBoard loads, says something with its time."""
    return [line for line in stderr.splitlines() if not _OF_TENSORFLOW.search(line)]


def test_what_came_of_trying_a_fix_is_added(run, lost, tmp_path):
    outcome = run("with_tensorboard.py", track=["tensorboard"], prove=True)
    assert not lost(outcome)
    (finding,) = outcome.report.findings
    for path, blob in outcome.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(blob)
    told = EventAccumulator(str(tmp_path / "logs" / "first" / "tensan")).Reload()
    assert set(told.Tags()["tensors"]) == {"tensan/findings", "tensan/fixes"}
    (text,) = told.Tensors("tensan/fixes")
    assert text.tensor_proto.string_val[0].decode() == f"- tensan.SHP101.fix: {finding.tried}"
    steps = [each.step for each in told.Scalars("tensan/loss")]
    assert len(steps) == len(set(steps)) > 0
    assert b"Fix tried" in outcome.files["logs/first/tensan/report.html"]


def test_curves_findings_and_page_lie_beside_the_scripts_own(run, lost, tmp_path):
    bare, watched = (run("with_tensorboard.py", watched=watched, track=["auto"]) for watched in (False, True))
    assert bare.status == 0, bare.stderr
    assert not lost(watched)
    assert (bare.stdout, own(bare.stderr), bare.remains) == (watched.stdout, own(watched.stderr), watched.remains)
    for path, blob in watched.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(blob)
    ours = [path for path in watched.files if path.startswith("logs/first/tensan/")]
    assert len(ours) == 2
    assert len(watched.files) == len(bare.files) + 2
    runs = EventMultiplexer().AddRunsFromDirectory(str(tmp_path / "logs")).Reload().Runs()
    assert set(runs) == {"first", "first/tried", "first/tensan"}
    script, told = (EventAccumulator(str(tmp_path / "logs" / name)).Reload() for name in ("first", "first/tensan"))
    mine = {each.step: each.value for each in script.Scalars("loss")}
    assert len(mine) == 12
    losses = [(each.step, each.value) for each in told.Scalars("tensan/loss")]
    assert losses
    assert losses == [(step, pytest.approx(mine[step])) for step, _ in losses]
    (text,) = told.Tensors("tensan/findings")
    assert b"error[SHP101] loss compares" in text.tensor_proto.string_val[0]
    (page,) = [path for path in ours if path.endswith("report.html")]
    assert b"SHP101" in watched.files[page]
