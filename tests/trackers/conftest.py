"""Runs a program as a user of a tracker has it, bare and watched, under the same environment."""

from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def run(stem):
    def start(program, *, environment=None, track=(), watched=True, before="", **options):
        settings = {name: str(value) for name, value in (environment or {}).items()}
        prelude = f"import os\nos.environ.update({settings!r})\n{before}"
        flags = {"track": tuple(track)} if watched else {}
        return stem.run(PROGRAMS / program, watched=watched, flags=flags, prelude=prelude, remains=True, limit=200.0, **options)

    return start


@pytest.fixture
def lost():
    """What a report says of a tracker that did not take all."""

    def lines(outcome):
        assert outcome.report is not None, outcome.stderr
        return [note for note in outcome.report.run.notes if note.startswith("TEN90")]

    return lines
