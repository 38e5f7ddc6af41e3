"""`tensan mcp`: an agent, played by the SDK's own client, over stdin and stdout of a real server."""

import os
import re
import sys
import time
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tensan.cli.mcp import confinement, patches
from tensan.cli.mcp.tools import MOST_CHARACTERS, bounded
from tensan.core.errors import UsageError

TRAIN = """\
import torch

torch.manual_seed(0)
x, y = torch.randn(64, 8), torch.randn(64)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(100):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
MENDED = """\
--- a/train.py
+++ b/train.py
@@ -1,3 +1,3 @@
 for _ in range(100):
-    loss = ((model(x) - y) ** 2).mean()
+    loss = ((model(x).squeeze(1) - y) ** 2).mean()
     optimizer.zero_grad()
"""
#: Prints too much, starts a process, and does not let itself be interrupted.
STUBBORN = """\
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("\\x1b[31m", "x" * 10_000_000, "the end", flush=True)
open("pids", "w").write(f"{os.getpid()} {other.pid}")
time.sleep(600)
"""


def server(root, *options):
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "HOME", "TMPDIR")}
    words = ["-m", "tensan", "mcp", "--root", str(root), *options]
    return StdioServerParameters(command=sys.executable, args=words, env=environment, cwd=root)


def with_client(root, play, *options):
    async def main():
        async with Client(server(root, *options)) as client:

            async def call(tool, **arguments):
                result = await client.call_tool(tool, arguments)
                return result.is_error, result.content[0].text

            await play(client, call)

    anyio.run(main)


def is_gone(pid, *, within=20.0):
    """Tells whether a process has ended; one that waits to be reaped has."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
def test_an_agent_finds_asks_and_mends(tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)

    async def play(client, call):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"run_script", "list_findings", "explain_finding", "explain_rule", "ask", "provenance", "test_patch"}
        assert "Args:" in tools["ask"].description
        assert tools["explain_rule"].annotations.read_only_hint

        failed, text = await call("run_script", script="train.py", steps=6)
        assert not failed
        assert text.startswith("run-1: train.py stopped, 6 steps, exit status 0")
        assert "## 1. error SHP101 broadcast-in-loss" in text
        assert text.endswith("it printed nothing")
        _, text = await call("list_findings")
        assert re.fullmatch(r"1\. error SHP101 broadcast-in-loss: loss compares .* \(train\.py:8\)", text)
        _, text = await call("explain_finding", number=1)
        assert "+    loss = ((model(x).squeeze(1) - y) ** 2).mean()" in text

        _, text = await call("ask", script="train.py", question="permute train.py:8")
        change = re.search(
            r"permuting f32\[64\] along the batch changes the gradient by (\S+) of its norm: samples are not matched here", text
        )
        assert float(change[1]) < 1e-4
        _, text = await call("provenance", script="train.py", line="8")
        assert "  f32[64, 1]: made by `matmul` on this line" in text
        assert "parameter `weight`" in text

        _, text = await call("test_patch", script="train.py", diff=MENDED, steps=6)
        assert "patched: train.py\nbefore: train.py stopped, 6 steps" in text
        assert "fixed: error[SHP101]" in text
        assert re.search(r"^loss .* -> ", text, re.MULTILINE)
        assert text.endswith("0 new; 1 fixed; 0 still there")
        assert str(tmp_path) not in text

    with_client(tmp_path, play)
    assert (tmp_path / "train.py").read_text() == TRAIN
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


@pytest.mark.slow
def test_what_hangs_is_ended_with_all_that_it_started(tmp_path):
    (tmp_path / "stubborn.py").write_text(STUBBORN)

    async def play(_client, call):
        _, text = await call("run_script", script="stubborn.py", seconds=20)
        assert "took too long and was ended" in text
        assert "(10000015 bytes, the end)" in text
        assert text.endswith("the end")
        assert len(text) < MOST_CHARACTERS

    with_client(tmp_path, play)
    pids = (tmp_path / "pids").read_text().split()
    assert all(is_gone(int(pid)) for pid in pids)


@pytest.mark.slow
def test_a_server_that_ends_leaves_no_script_behind(tmp_path):
    (tmp_path / "stubborn.py").write_text(STUBBORN)

    async def play(_client, call):
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: call("run_script", script="stubborn.py", seconds=200))
            with anyio.fail_after(60):
                while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text():
                    await anyio.sleep(0.1)
            group.cancel_scope.cancel()

    with_client(tmp_path, play)
    assert all(is_gone(int(pid)) for pid in (tmp_path / "pids").read_text().split())


@pytest.mark.slow
def test_what_may_not_be_is_refused_in_one_line(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside.py"
    root.mkdir()
    outside.write_text("print('outside')")
    (root / "link.py").symlink_to(outside)
    (root / "data.csv").write_text("1")
    (root / "mcp.py").write_text("raise SystemExit('not the SDK')")
    (root / "train.py").write_text("raise SystemExit('never run')")
    refused = [
        ("run_script", {"script": "../outside.py"}, "lies outside of"),
        ("run_script", {"script": str(outside)}, "lies outside of"),
        ("run_script", {"script": "link.py"}, "lies outside of"),
        ("run_script", {"script": "data.csv"}, "expected a Python file"),
        ("run_script", {"script": "-c"}, "expected a Python file"),
        ("run_script", {"script": "a\0b\n\x1b[31m.py"}, r"'a\x00b\n\x1b[31m.py'"),
        ("run_script", {"script": "x" * 100_000}, "expected a Python file"),
        ("run_script", {"script": "train.py", "steps": 0}, "steps: expected 1 to"),
        ("run_script", {"script": "train.py", "seconds": 61}, "seconds: expected 1 to 60, got 61"),
        ("run_script", {"script": "train.py", "arguments": ["x" * 9_000]}, "arguments: expected at most"),
        ("ask", {"script": "train.py", "question": "drop table"}, "expected `made FILE:LINE`"),
        ("ask", {"script": "train.py", "question": "replace sample,made train.py:1"}, "a comma"),
        ("list_findings", {"run": "run-7"}, "there is no 'run-7'; run_script makes one"),
        ("explain_rule", {"rule": "SHP999"}, "unknown rule 'SHP999'"),
    ]

    async def play(_client, call):
        for tool, arguments, says in refused:
            failed, text = await call(tool, **arguments)
            assert failed, (tool, text)
            assert says in text
            assert len(text.splitlines()) == 1
            assert len(text) < 1_000
        _, text = await call("explain_rule", rule="broadcast-in-loss")
        assert text.startswith("# SHP101: broadcast-in-loss")

    with_client(root, play, "--seconds", "60")


def test_without_the_sdk_one_line_says_what_to_install(here, monkeypatch):
    monkeypatch.setattr("tensan.cli.mcp.find_spec", lambda _name: None)
    status, _, told = here("mcp")
    assert (status, told) == (2, "tensan: error: mcp: the official MCP SDK is not installed: `pip install 'tensan[mcp]'`\n")


@pytest.mark.parametrize("options", [("--root", "nowhere"), ("--seconds", "0")])
def test_bad_options_are_said_before_anything_is_served(here, options):
    status, _, told = here("mcp", *options)
    assert status == 2
    assert f"{options[0]}: expected" in told


def test_an_answer_is_bounded_and_can_be_written():
    assert bounded("x" * MOST_CHARACTERS) == "x" * MOST_CHARACTERS
    assert bounded("x" * (MOST_CHARACTERS + 5)).endswith("[cut: 5 more characters]")
    assert bounded("\ud800") == "\\ud800"


# ---- patches --------------------------------------------------------------------------------------------------------


def patched(folder, diff, *, name="a.py", text="one = 1\ntwo = 2\none = 1\nthree = 3\n"):
    (folder / name).write_bytes(text.encode())
    patches.apply(diff, folder)
    return (folder / name).read_bytes().decode()


def hunk(*lines, at="@@ -1 +1 @@", old="a/a.py", new="b/a.py"):
    return "\n".join([f"--- {old}", f"+++ {new}", at, *lines]) + "\n"


@pytest.mark.parametrize("at", ["@@ -3,9 +3,9 @@", "@@ -4 +4 @@ def f():"])
def test_a_hunk_is_applied_where_its_lines_are_nearest(tmp_path, at):
    assert patched(tmp_path, hunk("-one = 1", "+one = 4", at=at)) == "one = 1\ntwo = 2\none = 4\nthree = 3\n"


def test_line_ends_stay_as_they_are(tmp_path):
    assert patched(tmp_path, hunk(" one = 1", "-two = 2", "+two = 5"), text="one = 1\r\ntwo = 2") == "one = 1\r\ntwo = 5"


def test_several_hunks_files_that_come_and_files_that_go(tmp_path):
    (tmp_path / "old.py").write_text("x = 1\n")
    diff = "diff --git a/a.py b/a.py\nindex 1..2 100644\n" + hunk(
        "-one = 1", "+zero = 0", "+one = 1", "@@ -4 +5 @@", "-three = 3", "+three = 4"
    )
    diff += hunk("+y = 2", at="@@ -0,0 +1 @@", old="/dev/null", new="b/sub/new.py")
    diff += hunk("-x = 1", at="@@ -1 +0,0 @@", old="a/old.py", new="/dev/null")
    assert patched(tmp_path, diff) == "zero = 0\none = 1\ntwo = 2\none = 1\nthree = 4\n"
    assert (tmp_path / "sub/new.py").read_text() == "y = 2\n"
    assert not (tmp_path / "old.py").exists()


@pytest.mark.parametrize(
    ("diff", "says"),
    [
        ("mend it", "expected a unified diff"),
        (hunk("-four = 4", "+four = 5"), "does not fit: the file has no such lines, see 'four = 4'"),
        (hunk("-one = 1", "+one = ("), "a.py:1: what it makes is no Python"),
        (hunk("-one = 1", "+one = 2", old="a/../b.py", new="b/../b.py"), "lies outside of the root"),
        (hunk("+x = 1", old="/dev/null", new="/tmp/x.py"), "lies outside of the root"),
        (hunk("+x = 1", old="/dev/null", new="b/out/x.py"), "lies outside of the root"),
        (hunk("+x = 1", old="/dev/null", new="b/\0.py"), "lies outside of the root"),
        (hunk("-one = 1", "+one = 2", new="b/c.py"), "only changes of text"),
        ("rename from a.py\nrename to b.py\n" + hunk("-one = 1", "+one = 2"), "only changes of text"),
        (hunk("-one = 1", "+one = 2", old="a/none.py", new="b/none.py"), "none.py: cannot be read"),
        (hunk("one = 1"), "a line of a hunk begins with"),
        (hunk("-one = 1", at="@@ here @@"), "expected `@@ -LINE"),
        ("x" * (patches.MOST_CHARACTERS + 1), "expected at most"),
    ],
)
def test_a_patch_that_cannot_be_tried_is_refused_and_changes_nothing(tmp_path, diff, says):
    (tmp_path / "outside").mkdir()
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path / "outside")
    text = "one = 1\ntwo = 2\n"
    with pytest.raises(UsageError) as raised:
        patched(root, diff, text=text)
    assert says in str(raised.value)
    assert (root / "a.py").read_text() == text
    assert list((tmp_path / "outside").iterdir()) == []


# ---- copies ---------------------------------------------------------------------------------------------------------


def test_a_copy_leads_nowhere_else(tmp_path):
    root, target = tmp_path / "root", tmp_path / "copy"
    for folder in ("pkg", ".git", "env", "pkg/__pycache__"):
        (root / folder).mkdir(parents=True)
    (root / "pkg/a.py").write_text("a")
    (root / "env/pyvenv.cfg").write_text("")
    (root / "inside.py").symlink_to(root / "pkg/a.py")
    (root / "pkg/up").symlink_to("..")
    (root / "secret").symlink_to("/etc/hostname")
    os.mkfifo(root / "pipe")
    assert confinement.copy(root, target) == ["secret"]
    assert sorted(str(path.relative_to(target)) for path in target.rglob("*")) == ["inside.py", "pkg", "pkg/a.py", "pkg/up"]
    assert (target / "inside.py").resolve() == target / "pkg/a.py"
    assert (target / "pkg/up").resolve() == target


def test_a_tree_that_is_too_large_is_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(confinement, "MOST_BYTES", 10)
    (tmp_path / "root").mkdir()
    (tmp_path / "root/weights").write_bytes(b"x" * 11)
    with pytest.raises(UsageError, match="too much to copy for a trial"):
        confinement.copy(tmp_path / "root", tmp_path / "copy")
