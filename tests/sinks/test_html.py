"""The page, read back by the parser of the standard library: what it holds, what it may load, and what a hostile program can do to it."""

import base64
import hashlib
import io
import struct
import zlib
from html.parser import HTMLParser

import pytest
from reports_of_pages import HOSTILE, hostile, long, taken, told

from tensan.core.curves import Column, Curves, Series
from tensan.core.edits import Edit, Repair
from tensan.core.report import Report, Run
from tensan.sinks.html import HtmlSink
from tensan.sinks.html.chart import axis, steps_axis, thinned
from tensan.sinks.html.heatmap import heatmap

VOID = {"meta", "link", "img", "br", "hr", "input"}
#: Elements of pictures may be written as empty ones.
EMPTY_IN_PICTURES = {"line", "path", "circle", "image", "rect"}


class Page(HTMLParser):
    """Elements, attributes and texts, and whether each element that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in EMPTY_IN_PICTURES, tag
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, tag=None):
        return "".join(data for inside, data in self.texts if inside not in ("style", "script") and tag in (None, inside))


def written(report, **wishes):
    sink, stream = HtmlSink(), io.StringIO()
    for name, value in wishes.items():
        setattr(sink, name, value)
    sink.write(report, stream)
    return stream.getvalue()


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text("import torch\n\n\ndef step(pred, y):\n    return ((pred - y) ** 2).mean()  # why\n")
    return path


@pytest.fixture
def report(script):
    place = {"path": str(script), "line": 5, "column": 14, "end_line": 5, "end_column": 22, "function": "step"}
    source = "    return ((pred - y) ** 2).mean()  # why"
    first = told(
        **place, source=source, label="4096 differences", help="use `squeeze`", evidence={"shape": [64, 1]}, step=2, proof_note="it moves"
    )
    follows = told(fingerprint="b", caused_by="a", level="hint", code="OPT101", message="follows")
    hint = told(fingerprint="c", level="hint", message="only a hint")
    run = Run(
        script="train.py",
        status="completed",
        exit_status=0,
        steps=10,
        rules_armed=["SHP101"],
        rules_total=5,
        not_checked=["replay (compiled model)"],
    )
    curves = Curves(series=[Series(kind="loss", name="train.py:5", points=[(step, 10.0 - step) for step in range(10)])])
    return Report(run=run, findings=[first, hint, follows], curves=curves)


def test_holds_the_finding_with_its_source(report):
    page = Page(written(report))
    text = page.text()
    for words in (
        "error",
        "SHP101",
        "train.py:5:14",
        "4096 differences",
        "it moves",
        "use squeeze",
        "64, 1",
        "follows",
        "replay (compiled model)",
    ):
        assert words in text, words
    assert "# tensan: ignore[broadcast-in-loss]" in text
    assert "only a hint" not in text
    assert "only a hint" in Page(written(report, hints=True)).text()


def test_marks_the_guilty_span(report):
    marked = written(report).split("<mark>")[1:]
    text = "".join(Page(part.partition("</mark>")[0]).text() for part in marked)
    assert text == "pred - y"


def test_shows_the_edit_that_is_known_exactly(tmp_path):
    script = tmp_path / "edited.py"
    script.write_text("a = '<b>'\nloss = pred - y\n")
    edit = Edit(path=str(script), line=2, column=8, end_line=2, end_column=12, replacement="pred.squeeze(1)")
    page = written(Report(findings=[told(path=str(script), line=2, repairs=[Repair(text="x", edits=(edit,))])]))
    assert '<span class="line gone"><bdi>- loss = pred - y</bdi>' in page
    assert '<span class="line come"><bdi>+ loss = pred.squeeze(1) - y</bdi>' in page
    assert 'class="source edit"' not in written(Report(findings=[told(path=str(script), line=2)]))


def test_shows_the_line_as_it_was(report, script):
    import linecache

    script.write_text("changed = 1\n" * 9)
    linecache.checkcache()
    text = Page(written(report)).text()
    assert "return ((pred - y) ** 2).mean()" in text
    assert "changed" not in text


def test_loads_nothing(report):
    page = Page(written(report))
    for tag, attributes in page.elements:
        for name in ("src", "href", "srcset", "data", "action", "poster"):
            assert attributes.get(name, "#").startswith(("#", "data:")), (tag, attributes)
        assert not {name for name in attributes if name.startswith("on") or name == "style"}, (tag, attributes)
    assert "@import" not in page.text("style")
    assert "url(" not in "".join(data for inside, data in page.texts if inside == "style")


def test_its_policy_allows_its_own_style_and_script_and_no_other(report):
    page = Page(written(report))
    policy = next(each["content"] for each in page.all("meta") if each.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (text,) = ("".join(data for inside, data in page.texts if inside == tag),)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_hostile_words_stay_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = written(hostile(tmp_path / "<b>\"' & train.py"), hints=True)
    page = Page(text)
    assert len(page.all("script")) == 1
    assert not page.all("img") or all(each["src"].startswith("data:") for each in page.all("img"))
    assert not [each for _, each in page.elements for name in each if name.startswith("on")]
    assert not set(text) & set("\u202e\u2066\x1b\0"), "characters that turn the text or the terminal"
    assert "49" not in page.text("h1"), "no word is a template"
    assert HOSTILE.splitlines()[0].partition("\u202e")[0] in page.text().replace("\n", ""), "yet it is shown as it is"


def test_is_whole_without_findings_and_without_figures():
    page = Page(written(Report(run=Run(script="x.py", status="completed", rules_total=70))))
    assert "no findings" in page.text()
    assert not page.all("figure")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"][1:] for attributes in page.all("a")]
    assert set(links) <= set(ids), "no link into nothing"


def test_a_long_run_stays_small():
    text = written(long())
    assert len(text.encode()) < 3_000_000
    Page(text)


def test_figures_grow_with_the_logarithm_of_the_steps():
    assert taken(100, 256) == list(range(100))
    assert len(taken(10_000, 48)) < 300
    assert len(taken(1_000_000, 48)) - len(taken(500_000, 48)) <= 24
    assert taken(10_000, 48)[-1] > 9_000, "the end is there too"


def test_the_picture_is_a_picture():
    curves = Curves(
        layers=["a", "b", "c"], columns=[Column(0, 0, [-100, -4000, None]), Column(5, 0, [0, 4000, -300]), Column(5, 2, [-200])]
    )
    made = heatmap(curves)
    assert made is not None
    assert made.has_zero
    assert made.has_broken
    assert made.has_none
    body = base64.b64decode(made.picture.partition(",")[2])
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", body[16:24])
    assert (width, height) == (2, 3)
    begin = body.index(b"IDAT") + 4
    (size,) = struct.unpack(">I", body[begin - 8 : begin - 4])
    rows = zlib.decompress(body[begin : begin + size])
    assert len(rows) == height * (width + 1)
    assert [(row.layer, row.first, row.last, row.zeros, row.broken) for row in made.rows] == [
        ("a", "1.0e-01", "1.0e+00", 0, 0),
        ("b", "0", "not finite", 1, 1),
        ("c", "1.0e-02", "1.0e-02", 0, 0),
    ]


@pytest.mark.parametrize(
    "values", [[0.0], [1.0, 1.0], [1e-9, 1e3], [-5.0, 3.0], [0.1, 0.30000001], [1e300, 1e-300], [-1e-12, 0.0], [7e5, 7.0001e5]]
)
def test_an_axis_holds_its_values_and_ends_on_ticks(values):
    made = axis(values)
    ticks = made.ticks()
    assert 2 <= len(ticks) <= 12
    assert [ticks[0].at, ticks[-1].at] == [0, 100]
    assert len({tick.text for tick in ticks}) == len(ticks)
    places = [made.at(value) for value in values]
    assert all(0 <= place <= 1 for place in places)
    assert sorted(values) == sorted(values, key=made.at)


@pytest.mark.parametrize("value", [0.01, 3.0, -2.0])
def test_a_value_that_stays_is_in_the_middle(value):
    assert 0.4 <= axis([value, value]).at(value) <= 0.6


@pytest.mark.parametrize("steps", [0, 1, 3, 7, 220, 10_000, 1_234_567])
def test_steps_are_whole_numbers(steps):
    made = steps_axis(steps)
    assert made.high >= steps
    assert all("." not in tick.text and "e" not in tick.text for tick in made.ticks())


def test_thinning_keeps_the_extremes():
    points = [(step, 0.0) for step in range(5_000)]
    points[1_234] = (1_234, 99.0)
    points[4_321] = (4_321, -99.0)
    kept = thinned(points)
    assert len(kept) <= 402
    assert {(1_234, 99.0), (4_321, -99.0), points[0], points[-1]} <= set(kept)
