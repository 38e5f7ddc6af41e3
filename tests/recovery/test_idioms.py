"""Ways to write a training loop: each is kept alive, and its own logic comes to what it comes to without the bad batches."""

import io
import json
from pathlib import Path

import pytest
import torch

PROGRAM = Path(__file__).parent / "programs" / "idioms.py"
IDIOMS = (
    "plain",
    "accumulation",
    "two_optimizers",
    "closure",
    "scaler",
    "own_schedule",
    "schedule",
    "manual_checkpoints",
    "early_stop",
    "resume",
    "own_optimizer",
    "loader",
)


def run(stem, idiom, kind, **flags):
    outcome = stem.run(PROGRAM, arguments=[idiom, kind], flags={"snapshot_every": 5, **flags})
    assert outcome.status == 0, outcome.stderr
    assert not [note for note in outcome.report.run.notes if note.startswith("TEN")], outcome.report.run.notes
    return outcome


@pytest.mark.parametrize("mode", ["skip", "rewind"])
@pytest.mark.parametrize("idiom", IDIOMS)
def test_an_idiom_is_kept_alive(stem, idiom, mode):
    clean = stem.run(PROGRAM, arguments=[idiom, "clean"], watched=False)
    assert clean.stdout.splitlines()[-1] == "finite True"
    outcome = run(stem, idiom, "bad", recover=mode)
    assert outcome.stdout == clean.stdout
    told = [*outcome.report.run.actions, *(note for note in outcome.report.run.notes if "by itself" in note)]
    assert told


@pytest.mark.parametrize("idiom", IDIOMS)
def test_without_a_bad_batch_nothing_is_done(stem, idiom):
    bare = stem.run(PROGRAM, arguments=[idiom, "clean"], watched=False, remains=True)
    for mode in ("skip", "rewind"):
        outcome = stem.run(PROGRAM, arguments=[idiom, "clean"], flags={"recover": mode}, remains=True)
        assert not outcome.report.run.actions
        assert outcome.stdout == bare.stdout
        assert outcome.remains == bare.remains


@pytest.mark.parametrize("workers", [0, 2])
def test_the_rows_of_a_bad_batch_are_known(stem, workers):
    prelude = f"import os; os.environ['WORKERS'] = '{workers}'"
    outcome = stem.run(
        PROGRAM,
        arguments=["loader", "bad"],
        flags={"recover": "skip", "output": "kept"},
        prelude=prelude,
    )
    kept = [json.loads(text) for path, text in outcome.files.items() if path.endswith("manifest.json")]
    assert len(kept) == len(outcome.report.run.actions) == 2  # once in each epoch
    for number, manifest in enumerate(kept):
        assert 77 in manifest["about"]["indices"]
        inputs = manifest["about"]["tensors"]["inputs"]
        assert inputs["rows"] == [manifest["about"]["indices"].index(77)]
        batch = next(text for path, text in outcome.files.items() if path.endswith(f"-{number:02d}/batch.pt"))
        assert torch.load(io.BytesIO(batch), weights_only=True)["inputs"].shape == (16, 6)
