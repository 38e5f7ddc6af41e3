"""What all tests share: the process that forks a child for each watched program, what came of each, and `--bless`."""

import hashlib
import os

import msgspec
import pytest

from tensan.testing import Outcome, Stem


def pytest_addoption(parser):
    parser.addoption("--bless", action="store_true", help="write the reports of cases/ anew instead of comparing them")


# A run under GitHub Actions adds annotations to its report; tests that want them set this themselves.
os.environ.pop("GITHUB_ACTIONS", None)


@pytest.fixture(scope="session")
def stem():
    with Stem() as running:
        yield running


@pytest.fixture(scope="session")
def watched(stem, tmp_path_factory):
    """Runs a program watched, once for all tests that ask, also where pytest-xdist spreads them over processes."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "outcomes"
    folder.mkdir(exist_ok=True)

    def run(script, *, flags=None, limit=120.0):
        key = msgspec.json.encode([str(script), dict(flags or {})])
        kept = folder / f"{hashlib.sha256(key).hexdigest()}.json"
        if kept.exists():
            return msgspec.json.decode(kept.read_bytes(), type=Outcome)
        outcome = stem.run(script, flags=flags, limit=limit)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_bytes(msgspec.json.encode(outcome))
        draft.rename(kept)
        return outcome

    return run
