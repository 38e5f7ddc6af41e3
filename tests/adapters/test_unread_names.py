"""Which results of calls are given names that nothing reads, told from the source alone."""

import pytest

pytest.importorskip("torch")

from tensan.adapters.torch.unread_names import span_at, unread_names
from tensan.core.sites import Site

UNREAD = {
    "never named again": "e = call(x)\n    return x",
    "bound anew": "e = call(x)\n    e = other(x)\n    return e",
    "worked on, then dropped": "e = torch.tanh(call(x))[:, None] * 2\n    return x",
    "returned before it is read": "if x is None:\n        e = call(x)\n        return x\n    e = x\n    return e",
    "all of several": "a, (b, c) = call(x)\n    return x",
    "beside another": "a, b = other(x), call(x)\n    return a",
}
READ = {
    "later": "e = call(x)\n    return x + e",
    "on one path": "e = call(x)\n    if x.training:\n        x = x + e\n    return x",
    "in the next round": "e = x\n    for _ in range(3):\n        x = other(e)\n        e = call(x)\n    return x",
    "by itself in the next round": "e = x\n    for _ in range(3):\n        e = call(e)\n    return x",
    "by a function of its own": "e = call(x)\n    return lambda y: y + e",
    "by all that is local": "e = call(x)\n    return locals()",
    "where an error leads": "try:\n        e = call(x)\n        other(x)\n    finally:\n        x = x + e\n    return x",
    "by adding to it": "e = call(x)\n    e += x\n    return x",
    "one of several": "a, (b, c) = call(x)\n    return b",
    "by a function that may keep it": "e = keep(call(x))\n    return x",
    "as an attribute": "x.e = call(x)\n    return x",
    "unbound by hand": "e = call(x)\n    del e\n    return x",
    "said to be unused": "_ = call(x)\n    return x",
    "returned": "return call(x)",
    "after a jump": "for _ in range(2):\n        e = call(x)\n        continue\n    return e",
}


def named(tmp_path, body):
    path = tmp_path / "program.py"
    path.write_text(f"def forward(x):\n    {body}\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    code = scope["forward"].__code__
    source = path.read_text().splitlines()
    for instruction in range(0, len(code.co_code), 2):
        span = span_at(Site(code, instruction))
        if span is not None and span[0] == span[2] and source[span[0] - 1].encode()[span[1] : span[3]] in (b"call(x)", b"call(e)"):
            return unread_names(Site(code, instruction), pure=frozenset())
    raise AssertionError(body)


@pytest.mark.parametrize("body", UNREAD.values(), ids=UNREAD)
def test_unread(tmp_path, body):
    assert named(tmp_path, body)


@pytest.mark.parametrize("body", READ.values(), ids=READ)
def test_read(tmp_path, body):
    assert not named(tmp_path, body)
