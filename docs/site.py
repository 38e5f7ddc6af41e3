"""Hooks of mkdocs: what lies outside docs/ and is linked from it becomes a part of the site, so that nothing is written twice."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
#: Pages at the root of the repository, and what they are on the site.
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)((?:#[^)\s]*)?)(?=\))")


def on_files(files, config):
    """Adds the pages of the root, and every file outside docs/ that some page links to."""
    for name, there in PAGES.items():
        files.append(File.generated(config, there, content=_moved((ROOT / name).read_text(encoding="utf-8"), name)))
    texts = {f"docs/{page.src_uri}": page.content_string for page in files.documentation_pages() if page.src_uri not in PAGES.values()}
    texts |= {name: (ROOT / name).read_text(encoding="utf-8") for name in PAGES}
    linked = {_target(link, source) for source, text in texts.items() for link, _ in _LINK.findall(text)}
    for path in sorted(linked):
        if not path.startswith("docs/") and path not in PAGES and (ROOT / path).is_file():
            files.append(File.generated(config, _on_site(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Turns links that lead out of docs/ to where their targets are on the site."""
    return markdown if page.file.src_uri in PAGES.values() else _moved(markdown, f"docs/{page.file.src_uri}")


def _moved(text, source):
    here = posixpath.dirname(_on_site(source))

    def to_site(found):
        return posixpath.relpath(_on_site(_target(found[1], source)), here or ".") + found[2]

    return _LINK.sub(to_site, text)


def _target(link, source):
    """Returns the path in the repository that a link of a file leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def _on_site(path):
    """Returns where a file of the repository lies on the site; code keeps its place, and is read as text."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return PAGES.get(path, f"{path}.txt" if path.endswith(".py") or "." not in posixpath.basename(path) else path)
