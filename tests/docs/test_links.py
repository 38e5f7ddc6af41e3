"""Every relative link in the project's Markdown leads to a file that is there, and to a heading of it."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "zoo").glob("*.md"), *(ROOT / "benchmarks").glob("*.md")])

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def links(text):
    return _LINK.findall(_CODE.sub("", _FENCED.sub("", text)))


def anchors(text):
    """Names of a page's headings, as GitHub makes them."""
    words = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(_FENCED.sub("", text)))
    return set(words)


def broken(page):
    for link in links(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            yield f"{link}: is not there"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link}: has no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page):
    assert not list(broken(page))


def test_a_broken_link_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A `b` C\n[here](#a-b-c) [gone](no.md) [out](https://example.org) [text](#nowhere)\n\n```\n[code](no.md)\n```\n")
    assert list(broken(page)) == ["no.md: is not there", "#nowhere: has no such heading"]
