"""The guide to a rule shows files of this repository as they are."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_program_shown_is_a_file():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("**In a package of your own.**")[0]
    blocks = [block for _, block in re.findall(r"^(`{3,})python\n(.*?)^\1$", text, re.DOTALL | re.MULTILINE)]
    files = {path.read_text(encoding="utf-8") for folder in ("cases", "src") for path in (ROOT / folder).rglob("*.py")}
    assert len(blocks) == 3
    for block in blocks:
        assert block in files, block[:200]
