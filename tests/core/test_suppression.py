"""Silencing: where one wrote it, and nowhere else."""

import linecache

import pytest
from core.making import finding, location, step, watching

import tensan
from tensan.core import runfile, suppression
from tensan.core.findings import tell
from tensan.core.rule import Rule
from tensan.core.runfile import RunFile
from tensan.core.settings import Settings
from tensan.core.suppression import Suppressor, ignores_in
from tensan.core.watch import current, set_current


@pytest.fixture
def script(tmp_path):
    def write(text, name="train.py"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        linecache.checkcache(str(path))
        ignores_in.cache_clear()
        return str(path)

    return write


def told(path, line, **fields):
    return tell(finding(location=location(line, path=path), **fields))


def silenced(path, line, suppressor=None, **fields):
    return (suppressor or Suppressor()).silences(told(path, line, **fields))


@pytest.mark.parametrize("name", ["TST100", "made", "other, made", " TST100 "])
def test_on_the_line(script, name):
    path = script(f"a = 1\nb = 2  # tensan: ignore[{name}] it is meant\nc = 3\n")
    assert [silenced(path, line) for line in (1, 2, 3)] == [False, True, False]


def test_alone_on_the_line_above(script):
    path = script("x = 0\n# tensan: ignore[made]\nb = 2\nc = 3\n")
    assert [silenced(path, line) for line in (1, 2, 3, 4)] == [False, True, True, False]


def test_beside_code_it_does_not_reach_down(script):
    path = script("a = 1  # tensan: ignore[made]\nb = 2\n")
    assert [silenced(path, line) for line in (1, 2)] == [True, False]


def test_in_the_file(script):
    path = script("a = 1\n# tensan: file-ignore[made] generated\n" + "b = 2\n" * 50)
    assert silenced(path, 1)
    assert silenced(path, 40)
    assert not silenced(path, 40, code="TST200", name="another")


@pytest.mark.parametrize(
    "comment", ["# tensan: ignore", "# tensan: ignore[]", "# tensan: ignore[ , ]", "# tensan: ignore[ALL]", "# tensan: ignore[*]"]
)
def test_there_is_no_blanket_form(script, comment):
    assert not silenced(script(f"a = 1  {comment}\n"), 1)


def test_reasons_are_kept(script):
    (ignore,) = ignores_in(script("a = 1  #tensan:ignore[made]   because of the paper\n"))
    assert ignore.reason == "because of the paper"
    assert ignore.names == {"made"}


def test_by_path(script, tmp_path, monkeypatch):
    path = script("a = 1\n", name="legacy.py")
    monkeypatch.chdir(tmp_path)
    assert silenced(path, 1, Suppressor(per_file={"legacy*": ["made"]}))
    assert silenced(path, 1, Suppressor(per_file={"*/legacy.py": ["TST100"]}))
    assert not silenced(path, 1, Suppressor(per_file={"legacy*": ["another"], "other*": ["made"]}))


def test_a_baseline(script):
    path = script("a = 1\nb = 2\n")
    known = Suppressor(baseline=[told(path, 1).fingerprint])
    assert [silenced(path, line, known) for line in (1, 2)] == [True, False]


def test_without_a_place_only_the_baseline_and_blocks_count():
    lost = tell(finding(location=None))
    assert not Suppressor().silences(lost)
    assert Suppressor(baseline=[lost.fingerprint]).silences(lost)


def test_an_unused_ignore_is_named_where_its_line_ran(script, tmp_path, monkeypatch):
    path = script(
        "a = 1  # tensan: ignore[made]\nb = 2  # tensan: ignore[made]\n# tensan: ignore[made]\nc = 3\nd = 4 # tensan: ignore[made]\n"
    )
    suppressor = Suppressor()
    assert silenced(path, 1, suppressor)
    assert [ignore.line for ignore in suppressor.unused({path: {1, 2, 4}})] == [2, 3]
    assert suppressor.unused({}) == []
    monkeypatch.chdir(tmp_path)
    assert [ignore.line for ignore in suppressor.unused({"train.py": {1, 2}})] == [2]


class OnLine(Rule):
    code, name = "TST100", "made"

    def on_step_end(self, event):
        yield self.finding("x", at=location(1, path=event.optimizer), event=event)


def test_the_watch_counts_what_is_silenced(script, monkeypatch):
    path = script("a = 1  # tensan: ignore[made]\n")
    resolved = []
    monkeypatch.setattr("tensan.core.watch.tell", lambda finding: (resolved.append(finding), tell(finding))[1])
    watch = watching(OnLine)
    for number in range(100):
        watch.emit(step(number, optimizer=path))
    watch.executed[path] = {1}
    report = watch.finish(status="completed", exit_status=0)
    assert report.findings == []
    assert report.run.suppressed == 1
    assert report.run.notes == []
    assert len(resolved) == 1, "a silenced finding is resolved once, not at each step"


def test_the_watch_names_what_silenced_nothing(script):
    path = script("a = 1  # tensan: ignore[made]\n")
    watch = watching()
    watch.executed[path] = {1}
    (note,) = watch.finish(status="completed", exit_status=0).run.notes
    assert note.startswith("TEN001")
    assert f"{path}:1" in note


def test_with_block(script):
    path = script("a = 1\n")
    watch, before = watching(OnLine), current()
    set_current(watch)
    try:
        with tensan.ignore("TST100"), tensan.ignore("other"):
            watch.emit(step(0, optimizer=path))
        assert watch.snapshot().findings == []
        watch.emit(step(1, optimizer=path))
        assert [finding.step for finding in watch.snapshot().findings] == [1]
        assert watch.suppressor.scoped == []
    finally:
        set_current(before)


def test_a_with_block_covers_its_lines(script):
    """What is found of them later, such as at the backward, too; and no other line."""
    source = "import tensan\n\nwith tensan.ignore('TST100'):\n    a = 1\n    b = (\n        2\n    )\nc = 3\n"
    path = script(source)
    watch, before = watching(), current()
    set_current(watch)
    try:
        exec(compile(source, path, "exec"), {})
        silenced = [line for line in range(1, 9) if watch.suppressor.silences(told(path, line, code="TST100"))]
        assert silenced == [3, 4, 5, 6, 7]
        assert not watch.suppressor.silences(told(path, 4, code="TST101"))
    finally:
        set_current(before)


def test_with_block_without_a_watch_or_a_name():
    with tensan.ignore("made"):
        pass
    with pytest.raises(ValueError, match="no blanket form"):
        tensan.ignore()


def test_settings_reach_the_watch(script):
    path = script("a = 1\n")
    watch = watching(OnLine, settings=Settings(per_file_ignores={"*": ("made",)}))
    watch.emit(step(optimizer=path))
    assert watch.snapshot().run.suppressed == 1


def test_comments_of_others_are_not_read():
    assert suppression.ignores_in("/nowhere/gone.py") == ()


def test_what_follows_from_a_silenced_cause_is_silent_too(script, tmp_path):
    path = script("a = 1  # tensan: ignore[made]\nb = 2\n")
    watch = watching(run_file=RunFile(tmp_path / "runs" / "one.jsonl"))
    watch.report(finding(code="TST1", location=location(2, path=path), effect="no-update", subjects=frozenset({"p"})))
    assert [told.line for told in watch.snapshot().findings] == [2]
    cause = finding(code="TST2", name="made", location=location(1, path=path), explains=frozenset({"no-update"}), subjects=frozenset({"p"}))
    watch.report(cause)
    report = watch.finish(status="completed", exit_status=0)
    assert report.findings == []
    assert report.run.suppressed == len(report.run.silenced) == 2
    again = runfile.read(watch.run_file.path)
    assert (again.findings, again.run.silenced) == ([], report.run.silenced)
