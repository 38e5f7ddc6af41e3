"""The root knows itself, its children know the root, and neither the environment nor the output shows it."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent


def run(source: str) -> str:
    done = subprocess.run([sys.executable, "-c", dedent(source)], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout


def test_root_and_its_fork() -> None:
    out = run("""
        import os
        from tensan.launch import children
        assert not children.is_root() and children.parent() is None
        children.become_root("/tmp/a folder")
        assert children.is_root() and children.parent() is None
        root = os.getpid()
        child = os.fork()
        if not child:
            assert not children.is_root()
            assert children.parent() == children.Parent(root, "/tmp/a folder")
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), children.is_root())
    """)
    assert out == "0 True\n"


def test_started_children_find_the_channel_and_the_script_does_not_see_it() -> None:
    out = run("""
        import os, subprocess, sys
        from tensan.launch import children
        before = dict(os.environ)
        children.become_root("/tmp/c:d")
        assert dict(os.environ) == before
        code = "import os; from tensan.launch.children import *; p = parent(); print(is_root(), p.process == os.getppid(), p.channel)"
        subprocess.run([sys.executable, "-c", code], check=True)
    """)
    assert out == "False True /tmp/c:d\n"


def test_a_root_in_a_child_is_its_own() -> None:
    out = run("""
        import os
        os.environ["TENSAN_PARENT"] = "17:/tmp/above"
        from tensan.launch import children
        assert children.parent() == children.Parent(17, "/tmp/above")
        children.become_root("/tmp/own")
        print(children.is_root(), "TENSAN_PARENT" in os.environ)
    """)
    assert out == "True False\n"


def test_nonsense_in_the_variable_is_no_parent() -> None:
    out = run("""
        import os
        os.environ["TENSAN_PARENT"] = "nonsense"
        from tensan.launch import children
        print(children.parent())
    """)
    assert out == "None\n"


def test_callbacks_run_in_forks_and_fail_in_silence() -> None:
    out = run("""
        import os
        from tensan.launch import children
        seen = []
        children.after_fork(lambda: seen.append("first"))
        children.after_fork(lambda: 1 / 0)
        children.after_fork(lambda: seen.append("third"))
        child = os.fork()
        if not child:
            os._exit(len(seen))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen)
    """)
    assert out == "2 []\n"
