"""Keeps the figures of each measurement as `results/YYYY-MM-DD-HASH.json`, finds the last ones, and says what has changed."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).resolve().parent / "results"
SECTIONS = ("truth", "cost", "neutrality", "localisation", "telemetry")

#: Figures that are compared, by their path in the file; whether more is better.
WATCHED = {
    "truth.cases.right": True,
    "truth.zoo.alarms": False,
    "truth.zoo.armed_enough": True,
    "truth.corpus.seen": True,
    "truth.corpus.line": True,
    "truth.corpus.first": True,
    "truth.corpus.alarms": False,
    "truth.corpus.broke": False,
    **{
        f"cost.workloads.{name}.{figure}": False
        for name in ("mlp", "lstm", "cnn", "transformer")
        for figure in ("self_pct", "loop_ratio", "memory_mb")
    },
    "cost.startup.cpu_s": False,
    "neutrality.changed": False,
    "telemetry.worst_self_pct": False,
}


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "0000000"


def is_changed():
    """Whether what was measured differs from that commit."""
    words = ["git", "status", "--porcelain", "--", "src", "cases", "zoo"]
    return bool(subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip())


def stored():
    """All measurements, the oldest first."""
    found = [json.loads(path.read_text()) for path in FOLDER.glob("*.json")]
    return sorted(found, key=lambda item: (item["date"], item.get("written", 0)))


def latest():
    """The last figures of each section, whichever files they are in."""
    merged = {}
    for item in stored():
        # When, where and at which commit is that of the sections, not of what else is kept in the folder.
        measured = any(section in item for section in SECTIONS)
        merged |= item if measured else {name: value for name, value in item.items() if isinstance(value, dict) and name != "machine"}
    return merged


def keep(measured):
    """Writes the figures; sections that this commit has been measured for today already stay."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{measured['date']}-{measured['commit']}.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    written = max((item.get("written", 0) for item in stored()), default=0) + 1
    path.write_text(json.dumps(before | measured | {"written": written}, indent=1) + "\n")
    return path.relative_to(ROOT)


def figure(item, path):
    for key in path.split("."):
        if not isinstance(item, dict) or key not in item:
            return None
        item = item[key]
    return item


def compared(measured, before):
    """Yields a line for each watched figure that differs from the last stored one."""
    if not any(section in before for section in SECTIONS):
        yield "nothing stored yet to compare with"
        return
    yield f"compared with {before['date']} {before['commit']}:"
    changes = 0
    for path, more_is_better in WATCHED.items():
        old, new = figure(before, path), figure(measured, path)
        if old is None or new is None or old == new:
            continue
        changes += 1
        yield f"   {'better' if (new > old) == more_is_better else 'worse '} {path}: {old} -> {new}"
    if not changes:
        yield "   no figure differs"
