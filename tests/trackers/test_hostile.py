"""Telemetry and trackers that are dead or hostile: what the script prints, leaves behind and exits with is as if nobody watched."""

from pathlib import Path

import pytest
from hostile_collectors import COLLECTORS, answering, listening

from tensan.testing import compare

pytestmark = pytest.mark.slow
PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.parametrize("collector", COLLECTORS)
def test_a_collector(collector, run, lost):
    make, protocol = COLLECTORS[collector]
    with make() as endpoint:
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol}
        bare = run("train.py", environment=environment, watched=False)
        watched = run("train.py", environment=environment, track=["opentelemetry"])
    assert_untouched(bare, watched)
    (note,) = lost(watched)
    assert note.startswith("TEN903: opentelemetry: lost ")
    assert note.endswith("; the script is not affected")


def test_a_slow_collector_gets_all(run, lost):
    with answering(200, after=1) as endpoint:
        watched = run("train.py", environment={"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}, track=["opentelemetry"])
    assert not lost(watched)


def test_nobody_has_to_wait(run, lost, tmp_path):
    (tmp_path / "impatient.py").write_text(
        "import os, signal, threading, time\n"
        "def interrupt():\n"
        "    time.sleep(3)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
    )
    with listening(lambda _: None) as endpoint:
        outcome = run(tmp_path / "impatient.py", environment={"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}, track=["opentelemetry"])
    assert (outcome.status, outcome.stderr) == (0, "")
    assert lost(outcome) == ["TEN903: interrupted while the run was handed over: what was not taken by then is lost"]


def test_the_relay_cannot_start(run, lost):
    before = "import sys\nsys.executable = '/nowhere/python'"
    bare, watched = run("train.py", before=before, watched=False), run("train.py", before=before, track=["opentelemetry"])
    assert_untouched(bare, watched)
    (note,) = lost(watched)
    assert note.startswith("TEN901: tracker opentelemetry failed and was switched off: FileNotFoundError")


def test_the_relay_dies_at_once(run, lost):
    before = "import sys\nsys.executable = '/bin/true'"
    bare, watched = run("train.py", before=before, watched=False), run("train.py", before=before, track=["opentelemetry"])
    assert_untouched(bare, watched)
    (note,) = lost(watched)
    assert note.startswith("TEN903: opentelemetry: the process that exports has ended without a word")


#: What a tracker of the script's meets at its end, as lines that the script runs after its training.
TRACKERS = {
    "mlflow: the server is gone": ("with_mlflow.py", "mlflow", "mlflow.MlflowClient.log_batch = refuse"),
    "mlflow: it hangs": ("with_mlflow.py", "mlflow", "mlflow.MlflowClient.log_batch = hang"),
    "mlflow: another shape of library": ("with_mlflow.py", "mlflow", "del mlflow.MlflowClient"),
    "mlflow: the artifacts' folder is no folder": ("with_mlflow.py", "mlflow", "mlflow.MlflowClient.log_text = full"),
    "tensorboard: the log folder is gone": ("with_tensorboard.py", "tensorboard", "shutil.rmtree('logs')"),
    "tensorboard: its place is taken": ("with_tensorboard.py", "tensorboard", "open('logs/first/tensan', 'w').close()"),
    "wandb: it takes no alert": ("with_wandb.py", "wandb", "type(wandb.run).alert = refuse"),
    "wandb: it hangs": ("with_wandb.py", "wandb", "type(wandb.run).log_artifact = hang"),
}
AFTERWARDS = """

import shutil, sys, time

def refuse(*_args, **_kwargs):
    raise ConnectionError("gone")

def full(*_args, **_kwargs):
    raise OSError(28, "No space left on device")

def hang(*_args, **_kwargs):
    time.sleep(60)

"""


@pytest.mark.parametrize("case", TRACKERS)
def test_a_tracker(case, run, lost, mlflow_store, tmp_path):
    program, tracker, lines = TRACKERS[case]
    source = (PROGRAMS / program).read_text()
    (tmp_path / program).write_text(source + AFTERWARDS + lines + "\n")
    environment = {"OPEN": "1", "WANDB_MODE": "offline", "WANDB_SILENT": "true"}
    outcomes = []
    for watched in (False, True):
        environment["MLFLOW_TRACKING_URI"] = mlflow_store(watched)
        outcomes.append(run(tmp_path / program, environment=environment, watched=watched, track=[tracker]))
    bare, watched = outcomes
    assert bare.status == 0, bare.stderr
    assert (bare.status, bare.stdout, bare.remains) == (watched.status, watched.stdout, watched.remains)
    assert [told.code for told in watched.report.findings] == ["SHP101"]
    (note,) = lost(watched)
    assert tracker in note


def assert_untouched(bare, watched):
    assert bare.status == 0, bare.stderr
    assert watched.report is not None, watched.stderr
    assert [told.code for told in watched.report.findings] == ["SHP101"]
    assert not compare(bare, watched)
