"""What arrives in a script's W&B run, offline, read from the file that W&B writes."""

import json
from pathlib import Path

import pytest
from wandb_file import records

PROGRAMS = Path(__file__).parent / "programs"
OFFLINE = {"WANDB_MODE": "offline", "WANDB_SILENT": "true"}


def of(outcome, kind):
    (name,) = [name for name in outcome.files if name.endswith(".wandb")]
    return [getattr(record, kind) for record in records(outcome.files[name]) if record.WhichOneof("record_type") == kind]


def history(outcome):
    rows = [{item.nested_key[0] or item.key: item.value_json for item in row.item} for row in of(outcome, "history")]
    return [{key: value for key, value in row.items() if key not in ("_timestamp", "_runtime")} for row in rows]


@pytest.mark.parametrize("environment", [{}, {"OPEN": "1"}], ids=["closed by the script", "left open"])
def test_findings_figures_and_page_join_the_scripts_own_run(environment, run, lost):
    bare, watched = (run("with_wandb.py", environment=OFFLINE | environment, watched=one, track=["wandb"]) for one in (False, True))
    assert bare.status == 0, bare.stderr
    assert not lost(watched)
    assert (bare.status, bare.stdout, bare.stderr, bare.remains) == (watched.status, watched.stdout, watched.stderr, watched.remains)
    assert history(bare) == history(watched)
    assert len(history(bare)) == 12
    (alert,) = of(watched, "alert")
    assert (alert.title, alert.level) == ("SHP101 broadcast-in-loss", "ERROR")
    assert alert.text.endswith("error[SHP101] loss compares f32[16, 1] with f32[16], which broadcasts to f32[16, 16]")
    summary = {item.key: json.loads(item.value_json) for one in of(watched, "summary") for item in one.update if item.key}
    assert (summary["tensan/errors"], summary["tensan/warnings"]) == (1, 0)
    assert {"tensan/loss", "tensan/gradient_norm", "tensan/learning_rate"} <= summary.keys()
    (artifact,) = of(watched, "artifact")
    assert artifact.type == "report"
    assert {entry.path for entry in artifact.manifest.contents} == {"report.html", "curves.csv"}


@pytest.mark.parametrize("environment", [{}, {"OPEN": "1"}], ids=["closed by the script", "closed by W&B"])
def test_a_closed_run_is_not_opened_for_what_came_of_trying_a_fix(environment, run, lost):
    outcome = run("with_wandb.py", environment=OFFLINE | environment, track=["wandb"], prove=True)
    (finding,) = outcome.report.findings
    assert finding.tried
    assert lost(outcome) == [
        "TEN903: wandb: has the findings, and not what came of trying their fixes: its run was closed before, and is not opened again"
    ]
    assert len(of(outcome, "alert")) == len(of(outcome, "artifact")) == 1


def test_a_run_that_is_still_open_gets_what_came_of_trying_a_fix(run, lost, tmp_path):
    source = (PROGRAMS / "with_wandb.py").read_text()
    begun = source.replace("run = wandb.init", "import tensan\nsession = tensan.watch(track=['wandb'], prove=True)\nrun = wandb.init")
    (tmp_path / "watches_itself.py").write_text(begun.replace('if "OPEN"', 'report = session.close()\nif "OPEN"'))
    outcome = run(tmp_path / "watches_itself.py", environment=OFFLINE, watched=False)
    assert outcome.status == 0, outcome.stderr
    summary = {item.key: json.loads(item.value_json) for one in of(outcome, "summary") for item in one.update if item.key}
    assert "held-out loss from" in summary["tensan.SHP101.fix"]
    assert len(of(outcome, "alert")) == 1
    assert len(of(outcome, "artifact")) == 2  # the page, and the page with that
