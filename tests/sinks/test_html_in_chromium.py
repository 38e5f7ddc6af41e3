"""The page in a real browser: nothing is asked for, nothing sticks out, axe has nothing against it, and keys are enough."""

import io
import time

import pytest
from browser import PROGRAM, WHY_NOT, Browser
from reports_of_pages import hostile, long, thousand

from tensan.sinks.html import HtmlSink

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=WHY_NOT)

#: Seconds in which a page of 10,000 steps and 500 layers is there, at best of three: other tests run beside this one.
SOON = 2.0


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")

    def write(name, report):
        stream = io.StringIO()
        sink = HtmlSink()
        sink.hints = True
        sink.write(report, stream)
        (folder / f"{name}.html").write_text(stream.getvalue(), encoding="utf-8")
        return folder / f"{name}.html"

    return {
        "ordinary": write("ordinary", long(1_000, layers=24)),
        "hostile": write("hostile", hostile(folder / "<b>\"' & train.py")),
        "long": write("long", long()),
        "thousand": write("thousand", thousand()),
    }


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", ["ordinary", "hostile", "long", "thousand"])
def test_is_fit_for_all(browser, pages, tmp_path, name, width, dark):
    browser.show(pages[name], width=width, dark=dark)
    browser.picture(tmp_path / f"{name}-{width}-{'dark' if dark else 'light'}.png")
    for opened in ("", "document.querySelectorAll('details').forEach(each => each.open = true);"):
        excess = browser.ask(f"{opened} document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert excess <= 0, "sticks out to the side"
    if name not in ("long", "thousand"):  # they differ in size alone, and axe looks at each cell of their tables
        assert browser.violations() == []
    assert browser.requested() == []
    assert browser.complaints() == []


def test_runs_no_script_of_others(browser, pages):
    browser.show(pages["hostile"])
    assert browser.ask("window.pwned === undefined")
    assert browser.ask("document.scripts.length") == 1
    assert browser.ask("document.images.length && [...document.images].every(each => each.src.startsWith('data:'))") in (True, 0)


def test_a_long_run_opens_soon(browser, pages):
    seconds = []
    for _ in range(3):
        began = time.monotonic()
        browser.show(pages["long"])
        browser.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        seconds.append(time.monotonic() - began)
    assert min(seconds) < SOON


def test_keys_are_enough(browser, pages):
    browser.show(pages["ordinary"])
    focused = "document.activeElement.textContent.trim()"
    browser.press("Tab", 9)
    assert browser.ask(focused) == "Skip to the findings"
    browser.press("Tab", 9)
    assert browser.ask(focused).startswith("Theme:")
    background = "getComputedStyle(document.body).backgroundColor"
    seen = set()
    for _ in range(3):
        seen.add(browser.ask(background))
        browser.ask("document.activeElement.click()")
    assert len(seen) == 2, "light and dark"
    reached = browser.ask(
        "[...document.querySelectorAll('summary, a, button, .source, .scroll')]"
        ".filter(each => each.checkVisibility()).every(each => each.tabIndex >= 0)"
    )
    assert reached


def test_says_the_value_under_the_pointer(browser, pages):
    browser.show(pages["ordinary"])
    browser.ask("document.querySelector('#chart-loss').scrollIntoView({behavior: 'instant'})")
    box = browser.ask(
        "(({x, y, width, height}) => [x, y, width, height])(document.querySelector('#chart-loss .frame > svg').getBoundingClientRect())"
    )
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + box[2] / 2, y=box[1] + box[3] / 2)
    assert browser.ask("document.querySelector('#chart-loss .readout').textContent").startswith("step ")


def test_a_closed_module_opens_where_its_box_points(browser, pages):
    browser.show(pages["thousand"])
    link = "document.querySelector('svg.step a[href^=\"#step-\"]')"
    target = browser.ask(f"{link}.getAttribute('href')")
    shown = f"document.querySelector('{target}').checkVisibility()"
    assert not browser.ask(shown)
    browser.ask(f"{link}.focus()")
    assert browser.ask(f"document.activeElement === {link}"), "keys come there"
    browser.press("Enter", 13)
    browser.ask("new Promise(done => setTimeout(done, 200))")
    assert browser.ask(shown)
