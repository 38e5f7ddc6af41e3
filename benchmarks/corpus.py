"""Scores a corpus of programs with one planted bug each, beside their mended twins and programs that are right.

A case is a folder with `buggy` and `fixed` (a file, or a folder with a `main.py`) and a `case.json` that names the guilty line; programs in
`clean/` are right. For each buggy run it counts whether anything of level warning or above is *seen*, whether one of the findings, or one
of the two places that it relates to, stands within a line of a guilty *line*, and whether the *first* finding does; for every other run, an
*alarm*; for all, whether the exit status is no longer 0 (*broke*), and errors that rest on
neither a law nor an intervention (*unproved*).
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

import results

FOLDER = Path(os.environ.get("TENSAN_CORPUS") or results.ROOT.parent / "shared" / "corpus" / "torch")
NEAR = 1
#: What an error rests on.
PROVED = ("law", "intervention")


class Run(NamedTuple):
    name: str
    kind: str
    script: Path
    guilty: tuple[tuple[str, int], ...] = ()


def runs(folder):
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        description = place / "case.json"
        if description.is_file():
            case = json.loads(description.read_text())
            for kind in ("buggy", "fixed"):
                script = _script(place, kind)
                yield Run(place.name, kind, script, tuple(_guilty(case, script)))
        elif place.name == "clean":
            for script in [*sorted(place.glob("*.py")), *sorted(place.glob("*/main.py"))]:
                yield Run(script.parent.name if script.name == "main.py" else script.stem, "clean", script)


def _script(place, kind):
    alone = place / f"{kind}.py"
    return alone if alone.is_file() else place / kind / "main.py"


def _guilty(case, script):
    for key in ("line", "lines", "also_ok_lines"):
        value = case.get(key)
        for item in value if isinstance(value, list) else [value] if value else []:
            file, _, line = str(item).rpartition(":")
            yield (file or case.get("file") or script.name), int(line)


def _is_near(told, guilty):
    places = [(told.path, told.line), *((place.get("path"), place.get("line")) for place in told.related[:2])]
    return any(path and line and path.endswith(file) and abs(line - wanted) <= NEAR for path, line in places for file, wanted in guilty)


def _judge(run, outcome):
    told = [one for one in outcome.report.findings if one.level != "hint"] if outcome.report else []
    row = {"name": run.name, "kind": run.kind, "codes": " ".join(f"{one.code}:{one.line}" for one in told), "broke": outcome.status != 0}
    row["unproved"] = sum(one.level == "error" and one.proof not in PROVED for one in told)
    if run.kind == "buggy":
        near = [_is_near(one, run.guilty) for one in told]
        return row | {"seen": bool(told), "line": any(near), "first": near[:1] == [True]}
    return row | {"alarm": bool(told)}


def score(folder, spread):
    """Runs the corpus, `spread(work, items)` over the processors."""
    rows = spread(lambda run, stem: _judge(run, stem.run(run.script.resolve(), limit=300.0)), list(runs(folder)))
    buggy = [row for row in rows if row["kind"] == "buggy"]
    right = [row for row in rows if row["kind"] != "buggy"]
    return {
        "buggy": len(buggy),
        "right": len(right),
        **{key: sum(row[key] for row in buggy) for key in ("seen", "line", "first")},
        "alarms": sum(row["alarm"] for row in right),
        "broke": sum(row["broke"] for row in rows),
        "unproved": sum(row["unproved"] for row in rows),
        "rows": rows,
    }


def lines(figures):
    if "missing" in figures:
        yield f"corpus: not there ({figures['missing']}); TENSAN_CORPUS names another folder"
        return
    whole = figures["buggy"]
    yield (
        f"corpus: seen {figures['seen']}/{whole}, right line {figures['line']}/{whole}, first {figures['first']}/{whole}, "
        f"alarms {figures['alarms']}/{figures['right']}, broke {figures['broke']}, "
        f"errors without proof {figures['unproved']}"
    )
    for row in figures["rows"]:
        if row["broke"] or row.get("alarm") or row.get("first") is False:
            what = (
                "BROKE" if row["broke"] else "ALARM" if row.get("alarm") else "line" if row["line"] else "seen" if row["seen"] else "missed"
            )
            yield f"  {what:6} {row['name']} {row['kind']} {row['codes']}".rstrip()
