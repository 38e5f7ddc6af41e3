"""What arrives in a script's MLflow run, read back by MLflow from a local sqlite store."""

import pytest
from mlflow import MlflowClient

from tensan.testing import compare


@pytest.fixture
def both(run, mlflow_store):
    """Runs the program bare and watched, each with a store of its own; returns the outcomes and the only run of each."""

    def start(**environment):
        done = []
        for watched in (False, True):
            address = mlflow_store(watched)
            given = {"MLFLOW_TRACKING_URI": address, "GIT_PYTHON_REFRESH": "quiet"} | environment
            outcome = run("with_mlflow.py", environment=given, watched=watched, track=["mlflow"])
            assert outcome.status == 0, outcome.stderr
            client = MlflowClient(address)
            (found,) = client.search_runs([client.get_experiment_by_name("trained").experiment_id])
            done.append((outcome, client, found))
        return done

    return start


def own(found):
    """What the script itself has logged."""
    tags = {key: value for key, value in found.data.tags.items() if not key.startswith(("tensan", "mlflow.source"))}
    return found.info.run_name, found.info.status, found.data.params, tags


def test_findings_curves_and_page_join_the_scripts_own_run(both, lost):
    (bare, _, plain), (watched, client, told) = both()
    assert not lost(watched)
    assert not compare(bare, watched)
    assert own(plain) == own(told)
    assert {key: told.data.metrics[key] for key in plain.data.metrics} == plain.data.metrics
    run_id = told.info.run_id
    assert told.data.tags["tensan.errors"] == "1"
    line = told.data.tags["tensan.SHP101"]
    assert line.endswith("with_mlflow.py:22:18: error[SHP101] loss compares f32[16, 1] with f32[16], which broadcasts to f32[16, 16]")
    losses = [(each.step, each.value) for each in client.get_metric_history(run_id, "tensan/loss")]
    assert losses
    mine = {each.step: each.value for each in client.get_metric_history(run_id, "loss")}
    assert losses == [(step, pytest.approx(mine[step])) for step, _ in losses]
    assert {"tensan/gradient_norm", "tensan/learning_rate"} <= told.data.metrics.keys()
    assert [each.path for each in client.list_artifacts(run_id, "tensan")] == ["tensan/report.html"]


def test_a_run_that_was_closed_early_is_still_the_scripts(both, lost):
    (bare, _, plain), (watched, _, told) = both(END="1")
    assert not lost(watched)
    assert not compare(bare, watched)
    assert own(plain) == own(told)
    assert told.data.tags["tensan.errors"] == "1"


def test_what_came_of_trying_a_fix_joins_the_closed_run(run, mlflow_store, lost):
    address = mlflow_store("proved")
    given = {"MLFLOW_TRACKING_URI": address, "GIT_PYTHON_REFRESH": "quiet"}
    outcome = run("with_mlflow.py", environment=given, track=["mlflow"], prove=True)
    assert not lost(outcome)
    (finding,) = outcome.report.findings
    client = MlflowClient(address)
    (found,) = client.search_runs([client.get_experiment_by_name("trained").experiment_id])
    assert found.info.status == "FINISHED"
    assert found.data.tags["tensan.SHP101.fix"] == finding.tried != ""
    steps = [each.step for each in client.get_metric_history(found.info.run_id, "tensan/loss")]
    assert len(steps) == len(set(steps)) > 0  # nothing is told twice


def test_nothing_is_started_for_a_script_without_mlflow(run, lost):
    before = "import atexit, sys\natexit.register(lambda: print('mlflow' in sys.modules))"
    watched = run("train.py", before=before, track=["mlflow"])
    assert watched.stdout.endswith("False\n")
    assert lost(watched) == ["TEN903: mlflow: the script has no run of it open: nothing was written"]
    quiet = run("train.py", track=["auto"])
    assert not lost(quiet)
