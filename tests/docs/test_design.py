"""The design page lists what is really patched and hooked in torch."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
INSTALL = ROOT / "src" / "tensan" / "adapters" / "torch" / "install.py"


def replaced():
    """What `patch(owner, "name", ...)` and `register_...hook(...)` calls name; owners in a loop are variables and left out."""
    for node in ast.walk(ast.parse(INSTALL.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if called == "patch" and isinstance(node.args[1], ast.Constant):
            owner = ast.unparse(node.args[0]).rpartition(".")[2]
            yield node.args[1].value if owner == "kind" else f"{owner.removesuffix('_module')}.{node.args[1].value}"
        elif called.rpartition(".")[2].startswith("register_"):
            yield called.rpartition(".")[2]


def test_every_patch_is_on_the_design_page():
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    missing = sorted(name for name in set(replaced()) if name not in page)
    assert len(set(replaced())) > 20
    assert not missing, "docs/design.md lists every patch and hook, with its reason"
