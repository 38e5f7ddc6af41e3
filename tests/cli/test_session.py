"""`tensan.watch()`: for notebooks and for programs that start the watch themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

import tensan
from tensan.core import plugins
from tensan.core.errors import SettingsError, UsageError
from tensan.core.events.training import Clip
from tensan.core.rule import Rule
from tensan.core.sites import Location
from tensan.core.watch import current
from tensan.launch import children

PROGRAMS = Path(__file__).parent / "programs"


class ClipTooLate(Rule):
    code, name = "OPT991", "clip-too-late"

    def on_clip(self, clip):
        self.armed = True
        yield self.finding("<b>late</b>", at=clip.site, event=clip, subjects=["o"])


@pytest.fixture(autouse=True)
def only_our_rule(monkeypatch):
    monkeypatch.setattr(plugins, "all_rules", lambda: (ClipTooLate,))
    monkeypatch.setattr(plugins, "adapters", lambda *, failed=None: {})
    monkeypatch.setattr(children, "become_root", lambda channel: None)


def clip():
    current().emit(Clip(site=Location(path="cell.py", line=3)))


def test_a_watch_reports_while_it_runs_and_at_its_end():
    with tensan.watch(quiet=True) as session:
        assert session.report().findings == []
        clip()
        assert [told.code for told in session.report().findings] == ["OPT991"]
        assert "still running" in repr(session)
    assert current() is None
    assert session.report().run.status == "completed"
    assert list(Path(".tensan/runs").glob("*.jsonl"))


def test_an_exception_in_the_block_is_the_runs_status():
    with pytest.raises(ZeroDivisionError), tensan.watch(quiet=True) as session:
        1 / 0  # noqa: B018
    assert session.report().run.status == "raised"


def test_notebooks_get_an_escaped_table():
    session = tensan.watch(quiet=True)
    clip()
    html = session._repr_html_()
    session.close()
    assert "&lt;b&gt;late&lt;/b&gt;" in html
    assert "<b>late" not in html
    assert "cell.py:3" in html
    assert "SUMMARY: tensan: 1 finding" in html


def test_a_second_watch_takes_over():
    first = tensan.watch(quiet=True)
    second = tensan.watch(quiet=True)
    assert first.report().run.status == "completed"
    assert current() is second.watch
    second.close()


def test_wrong_settings_are_named():
    with pytest.raises(SettingsError, match="selct: unknown key; did you mean select"):
        tensan.watch(selct=("OPT",))
    with pytest.raises(UsageError, match="unknown rule 'OPT9'; did you mean"):
        tensan.watch(select=("OPT9",))
    assert current() is None


def test_switched_off(monkeypatch):
    monkeypatch.setenv("TENSAN", "0")
    session = tensan.watch()
    assert current() is None
    assert session.close().findings == []
    assert not Path(".tensan").exists()


def test_a_report_is_printed_once_it_is_closed(capfd):
    session = tensan.watch(format="concise")
    clip()
    session.close()
    session.close()
    assert capfd.readouterr().err.count("SUMMARY") <= 1


def test_a_program_that_never_closes_its_watch_reports_at_its_end(tmp_path, script):
    script("import tensan\ntensan.watch()\nprint('out')\nraise ValueError('x')\n")
    done = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "out\n")
    assert "script raised" in done.stderr.splitlines()[-1]


def test_a_watch_inside_tensan_run_joins_it(tensan, script):
    body = "import tensan, tinyframe\nwith tensan.watch():\n    tinyframe.clip()\ntinyframe.clip()\n"
    done = tensan("run", script(body))
    assert done.stderr.count("SUMMARY") == 1
    assert "2 findings" in done.stderr.splitlines()[-1]
