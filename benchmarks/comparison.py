"""Renders the last stored comparison as the page `docs/comparison.md`: `python benchmarks/comparison.py > docs/comparison.md`."""

import sys

import results
import rivals
from show import table

_HEADS = (
    "tool",
    "version",
    "faults seen",
    "told from the mended twin",
    "right line",
    "alarms on right programs",
    "runs that failed",
    "CPU s",
)
_KEY = """\
- **seen**: anything of the level of a warning or above; **right line**: one of the lines named is within a line of the fault;
- **told from the mended twin**: seen, and nothing said of the program without the fault;
- **torch-audit** gets each model and its optimizer at the model's first forward, and audits each step. TA2xx and TA4xx are its rules of
  hardware and of style. The linters run with the rules that they run by default;
- **CPU s**: all programs together, without the import of PyTorch, or linting them. PyTorch's row is that of no tool. These runs
  take a second or less each, so a tool's own start is most of what it costs here;
  [Benchmarks](benchmarks.md) has what we cost in longer ones."""


def page(stored):
    """Returns the page in Markdown.

    Args:
        stored: the figures of the last measurement of each section.
    """
    head = ["# Comparison", "", "Made by `benchmarks/rivals.py` and `benchmarks/comparison.py`; do not edit.", ""]
    held = stored.get("rivals")
    body = ["Nothing has been measured yet."] if held is None else _lines(held, held["measured"])
    return "\n".join([*head, *body, ""])


def _lines(held, measured):
    machine, later = measured["machine"], " and later changes" if measured["changed"] else ""
    yield f"Measured on {measured['date']} at commit `{measured['commit']}`{later}: {machine['processors']} processors,"
    yield f"load {machine['load']}, Python {machine['python']}, torch {machine['torch']}."
    yield ""
    yield f"The {held['faulty']} programs with one planted fault each, and {held['right']} right ones, mended twins of these included."
    yield "The programs are not changed: each tool is given a script. That is how Tensan is used, and not how all others are."
    yield "Tensan was made with these programs at hand, the others were not: its row is what it holds, not what it would find elsewhere."
    yield ""
    rows = sorted(held["tools"].items(), key=lambda pair: (-pair[1]["line"], -pair[1]["apart"], pair[1]["alarms"]))
    yield from table(_HEADS, (_row(name, row, held) for name, row in rows))
    yield ""
    yield _KEY
    yield ""
    if held["missing"]:
        yield f"Not installed, and so not measured: {', '.join(held['missing'])}."
        yield ""
    waiting = [name for name in rivals.TOOLS if name not in held["tools"] and name not in held["missing"]]
    if waiting:
        yield f"Not measured yet: {', '.join(waiting)}."
        yield ""
    yield "Not measured, since they want more than a script:"
    yield ""
    yield from (f"- {names}: {why}." for names, why in held["not_run"].items())
    yield ""
    yield "## Fault by fault"
    yield ""
    yield "`line`: the right line, and nothing said of the mended twin; `seen`: without the line; `same`: both were spoken of."
    yield ""
    names = [name for name, _ in rows]
    yield from table(["fault", *names], _by_fault(held["tools"], names))


def _row(name, row, held):
    faults = [f"{row[key]} of {held['faulty']}" for key in ("seen", "apart", "line")]
    return [name, row["version"], *faults, f"{row['alarms']} of {held['right']}", row["broke"], f"{row['cpu']:.0f}"]


def _by_fault(tools, names):
    said = {name: {(row["name"], row["kind"]): row for row in tools[name]["rows"]} for name in names}
    for fault in dict.fromkeys(row["name"] for name in names for row in tools[name]["rows"] if row["kind"] == "buggy"):
        yield [fault.replace("_", " "), *(_verdict(said[name][fault, "buggy"], said[name][fault, "fixed"]) for name in names)]


def _verdict(faulty, mended):
    if not faulty["seen"]:
        return ""
    return "same" if mended["seen"] else "line" if faulty["line"] else "seen"


if __name__ == "__main__":
    sys.stdout.write(page(results.latest()))
