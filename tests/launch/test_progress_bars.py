"""Progress bars in a real terminal: what they draw is what they draw by themselves, and the report stands below."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("tqdm")

PROGRAM = Path(__file__).parent / "programs" / "bars.py"
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(command, folder):
    """Runs a command on a terminal of 100 columns and returns all that it wrote there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("TENSAN", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"))
    }
    process = subprocess.Popen(
        command, cwd=folder, env=kept | {"TERM": "xterm-256color"}, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    written = bytearray()
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(ours, 65536):
            written += part
    os.close(ours)
    assert process.wait(60) == 0, written.decode()
    return written.decode()


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["left"]], ids=["finished", "left unfinished"])
def test_bars_are_drawn_as_without_a_watch(words, tmp_path):
    bare = on_a_terminal([sys.executable, str(PROGRAM), *words], tmp_path)
    watched = on_a_terminal([sys.executable, "-m", "tensan", "run", str(PROGRAM), *words], tmp_path)
    assert bare.count("\r") > 25  # drawn again and again
    assert "\x1b[" in bare
    assert watched.startswith(bare)
    report = CODES.sub("", watched[len(bare) :])
    assert report.startswith("\r\n")  # whatever line the bars left unfinished is left alone
    assert report.lstrip().startswith("error[SHP101]")
    assert "--> " in report
    assert report.rstrip().splitlines()[-1].startswith("SUMMARY: tensan: 1 finding;")
