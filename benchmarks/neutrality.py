"""Neutrality: each program of the zoo twice bare and once watched; all that it prints and leaves behind must be the same, bit for bit."""

from pathlib import Path

from tensan.testing import Stem, compare

ZOO = Path(__file__).resolve().parents[1] / "zoo"


def measure(options):
    paths = sorted(ZOO.glob("*.py"))[:: 4 if options.quick else 1]
    rows = {}
    with Stem() as stem:
        for path in paths:
            rows[path.stem] = judge(path, stem)
            if rows[path.stem]["verdict"] != "same":
                print(f"   {path.stem}: {rows[path.stem]}", flush=True)
    verdicts = [row["verdict"] for row in rows.values()]
    return {
        "programs": len(rows),
        "same": verdicts.count("same"),
        "changed": verdicts.count("changed"),
        "unsteady": verdicts.count("unsteady"),
        "rows": rows,
    }


def judge(path, stem, *, limit=600.0):
    """Returns the verdict on a program: `same`, `changed`, or `unsteady` where two bare runs differ already."""
    bare, again, seen = (stem.run(path, watched=watched, remains=True, limit=limit) for watched in (False, False, True))
    unsteady = compare(bare, again)
    changed = [what for what in compare(bare, seen) if what not in unsteady]
    row = {"verdict": "changed" if changed else "unsteady" if unsteady else "same", "compared": len(bare.remains)}
    return row | ({"changed": changed[:10]} if changed else {}) | ({"unsteady": unsteady[:10]} if unsteady else {})


def lines(figures):
    yield (
        f"{figures['same']} of {figures['programs']} programs the same bit for bit; {figures['changed']} changed; "
        f"{figures['unsteady']} not steady by themselves"
    )
