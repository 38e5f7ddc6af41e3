"""Runs a program as a user of a tracker has it, bare and watched, under the same environment."""

import shutil
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def run(stem):
    def start(program, *, environment=None, track=(), watched=True, before="", prove=False, **options):
        settings = {name: str(value) for name, value in (environment or {}).items()}
        prelude = f"import os\nos.environ.update({settings!r})\n{before}"
        flags = {"track": tuple(track), "prove": prove} if watched else {}
        return stem.run(PROGRAMS / program, watched=watched, flags=flags, prelude=prelude, remains=True, limit=200.0, **options)

    return start


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory):
    """A store of MLflow without runs, which takes seconds to make."""
    from mlflow import MlflowClient

    path = tmp_path_factory.mktemp("mlflow") / "empty.db"
    MlflowClient(f"sqlite:///{path}").create_experiment("trained", artifact_location=path.parent.as_uri())
    return path


@pytest.fixture
def mlflow_store(empty_store, tmp_path):
    """Returns the address of a new store."""
    return lambda name: f"sqlite:///{shutil.copy(empty_store, tmp_path / f'{name}.db')}"


@pytest.fixture
def lost():
    """What a report says of a tracker that did not take all."""

    def lines(outcome):
        assert outcome.report is not None, outcome.stderr
        return [note for note in outcome.report.run.notes if note.startswith("TEN90")]

    return lines
