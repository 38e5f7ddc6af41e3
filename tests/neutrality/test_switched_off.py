"""With `TENSAN=0` nothing of torch is touched and no adapter is even imported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = (Path(__file__).parent / "touched.py").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("is_off", [True, False])
def test_nothing_is_touched(tmp_path, is_off):
    (tmp_path / "train.py").write_text(PROGRAM)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSAN")} | ({"TENSAN": "0"} if is_off else {})
    words = [sys.executable, "-m", "tensan", "run", "train.py"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    untouched = "patched []\nhooks 0 0 0 0 0\nadapters []\n"
    if is_off:
        assert (done.stdout, done.stderr) == (untouched, "")
        assert not (tmp_path / ".tensan").exists()
    else:  # the program does look where the patches are
        assert "Optimizer.__init__" in done.stdout
        assert "hooks 0" not in done.stdout
