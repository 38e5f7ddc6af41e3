"""Raises real exceptions of one framework, and tells as JSON what Tensan makes of each: `python harness.py FILE ...`.

The functions of the files beside this one raise, and say which class of `tensan.errors` that is. Files of one framework share a process.
"""

import importlib.util
import json
import sys
from pathlib import Path

CASES = {}


def means(*expected):
    """Marks a function that raises; the first name is the class that a person would choose, the others are as good."""

    def mark(function):
        CASES[function.__name__] = (function, expected)
        return function

    return mark


def caught(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001 - whatever is raised is looked at
        return error
    return None


def look(name, function, expected):
    """Returns what became of one exception: classified as what, and whether anything of it was lost."""
    from tensan import errors

    error = caught(function)
    if error is None:
        return {"name": name, "raised": None}
    before = (type(error), error.args, str(error), error.__cause__, error.__traceback__)
    verdict = errors.classify(error)
    untouched = before == (type(error), error.args, str(error), error.__cause__, error.__traceback__)

    def again():
        with errors.translate():
            raise error

    translated = caught(again)
    if verdict is None:
        kept = translated is error
    else:
        kept = (
            isinstance(translated, verdict.error)
            and isinstance(translated, type(error))
            and translated.__cause__ is error
            and str(translated) == before[2]
        )
    return {
        "name": name,
        "raised": f"{type(error).__module__}.{type(error).__qualname__}",
        "says": str(error)[:300],
        "got": verdict.error.__name__ if verdict else None,
        "hint": verdict.hint if verdict else "",
        "phase": verdict.phase if verdict else "",
        "retryable": verdict.retryable if verdict else None,
        "explained": errors.explain(error),
        "expected": expected,
        "untouched": untouched,
        "kept": kept,
    }


def main(path):
    sys.modules["harness"] = sys.modules["__main__"]
    name = Path(path).stem
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    for case, (function, expected) in CASES.items():
        print(json.dumps({"file": name, **look(case, function, expected)}), flush=True)
    CASES.clear()


if __name__ == "__main__":
    for given in sys.argv[1:]:
        main(given)
