"""A process for each library that has imported it once and forks a child for each program."""

import pytest
from hosts.libraries import IMPORTED, OFFLINE, need

from tensan.testing import Stem
from tensan.testing.stem import PRELOADED


@pytest.fixture(scope="session")
def stem_of():
    running = {}

    def get(library):
        need(library)
        if library not in running:
            running[library] = Stem(preload=(*PRELOADED, *IMPORTED[library]), environment=OFFLINE)
        return running[library]

    yield get
    for stem in running.values():
        stem.close()
