"""`make docs` builds the site without a warning, from other places it loads nothing, and each of its links leads somewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]


class Page(HTMLParser):
    """What a page links to, what it loads, and the names that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.names = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.names |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("script", "img", "iframe") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon") and given.get("href"):
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return {path.relative_to(folder).as_posix(): Page(path) for path in folder.rglob("*.html")}, folder


@pytest.mark.slow
def test_each_link_leads_somewhere(site):
    pages, folder = site
    assert len(pages) > 100
    broken = []
    for name, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or name == "404.html":  # that one does not know where it is shown
                continue
            target = (folder / name).parent / unquote(parts.path) if parts.path else folder / name
            target = target / "index.html" if target.is_dir() else target
            there = target.resolve().relative_to(folder.resolve()).as_posix()
            if not target.is_file() or (parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].names):
                broken.append(f"{name}: {link}")
    assert not broken


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site):
    pages, _ = site
    assert not [f"{name}: {source}" for name, page in pages.items() for source in page.loaded if urlsplit(source).netloc]
