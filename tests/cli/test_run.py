"""`tensan run`: the script's own run, then a report."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
LATE = "import tinyframe\nfor _ in range(3):\n    tinyframe.step()\n    tinyframe.clip()\n"


def summary(done):
    return done.stderr.splitlines()[-1]


def runs():
    return sorted(Path(".tensan/runs").glob("*.jsonl"))


def test_a_finding_is_reported_with_its_place(tensan, script):
    done = tensan("run", "--json", "out.json", script(LATE))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "\n"
        "error[OPT991]: gradients are clipped too late\n"
        " --> train.py:4:5\n"
        "  |\n"
        "4 |     tinyframe.clip()\n"
        "  |     ^^^^^^^^^^^^^^^^ nothing reads these\n"
        "  = seen: step 1, and each of the 2 steps since\n"
        "  = proof: an exact rule of training was broken\n"
        "  = help: clip earlier\n"
        "  = silence: `# tensan: ignore[clip-too-late]`    explain: `tensan explain OPT991`\n"
        "\n" + summary(done) + "\n"
    )
    assert summary(done).startswith("SUMMARY: tensan: 1 finding; 1 of 2 rules armed; 3 steps; overhead ")
    document = json.loads(Path("out.json").read_text())
    (found,) = document["findings"]
    assert (found["code"], found["line"], found["column"], found["count"]) == ("OPT991", 4, 5, 3)
    assert (document["run"]["status"], document["run"]["exit_status"], document["run"]["script"]) == ("completed", 0, "train.py")


def test_the_run_is_kept_and_hidden_from_git(tensan, script):
    tensan("run", script(LATE))
    (run,) = runs()
    assert Path(".tensan/.gitignore").read_text() == "*\n"
    assert [path.name for path in Path(".tensan/runs").iterdir()] == [run.name]
    shown = tensan("report")
    assert shown.stdout.startswith("error[OPT991]: gradients are clipped too late\n --> train.py:4:5\n")


def test_what_follows_the_script_is_the_scripts(tensan, script):
    name = script("import sys; print(sys.argv[1:])")
    for words in (["--help"], ["-q", "--json", "x.json"], ["-m", "-c"], ["--", "-v"], ["--select", "NOP999"]):
        done = tensan("run", name, *words)
        assert done.stdout == f"{words}\n"
    assert not Path("x.json").exists()


def test_module_and_code(tensan, script):
    script("import sys; print(__name__, sys.argv[1:])", "mod.py")
    assert tensan("run", "-m", "mod", "--help").stdout == "__main__ ['--help']\n"
    assert tensan("run", "-c", "import sys; print(sys.argv)", "--help").stdout == "['-c', '--help']\n"


def test_quiet_and_concise(tensan, script):
    name = script(LATE)
    assert tensan("run", "-q", name).stderr == ""
    lines = tensan("run", "--format", "concise", name).stderr.splitlines()
    assert lines[1] == "train.py:4:5: error[OPT991] gradients are clipped too late"


def test_sarif_beside_json(tensan, script):
    done = tensan("run", "--sarif", "out.sarif", "--json", "out.json", "-q", script(LATE))
    assert (done.returncode, done.stderr) == (0, "")
    (result,) = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == json.loads(Path("out.json").read_text())["findings"][0]["code"] == "OPT991"
    assert "::error" in tensan("report", "--format", "github").stdout
    assert tensan("report", "--format", "agent").stdout.startswith("## 1. error OPT991")


def test_json_to_stdout_and_json_format(tensan, script):
    done = tensan("run", "--json", "-", "-q", script(LATE))
    assert json.loads(done.stdout)["findings"][0]["code"] == "OPT991"
    done = tensan("run", "--format", "json", script(LATE))
    assert json.loads(done.stderr)["findings"][0]["code"] == "OPT991"


@pytest.mark.parametrize(
    ("body", "flags", "status"),
    [
        (LATE, [], 0),
        (LATE, ["--fail-on", "error"], 1),
        (LATE, ["--fail-on", "warning", "--error-exitcode", "7"], 7),
        (LATE, ["--fail-on", "error", "--ignore", "OPT"], 0),
        (LATE + "raise SystemExit(3)\n", ["--fail-on", "error", "--error-exitcode", "7"], 3),
        ("import tinyframe; tinyframe.clip(level='warning')\n", ["--fail-on", "error"], 0),
        ("import tinyframe; tinyframe.clip(level='warning')\n", ["--fail-on", "warning"], 1),
        ("import tinyframe; tinyframe.clip()  # tensan: ignore[clip-too-late] meant\n", ["--fail-on", "warning"], 0),
    ],
)
def test_exit_status(tensan, script, body, flags, status):
    assert tensan("run", *flags, script(body)).returncode == status


def test_stopping_after_some_steps_and_at_the_first_error(tensan, script):
    name = script("import tinyframe\nfor _ in range(100):\n    tinyframe.step()\nprint('never')\n")
    done = tensan("run", "--steps", "5", name)
    assert (done.returncode, done.stdout) == (0, "")
    assert "script stopped; 5 steps" in summary(done)
    done = tensan("run", "--halt-on-error", script(LATE + "print('never')\n"))
    assert (done.returncode, done.stdout) == (0, "")
    assert "1 finding" in summary(done)
    assert "script stopped; 1 step;" in summary(done)


def test_a_script_that_raises_leaves_its_traceback_and_a_report(tensan, script):
    done = tensan("run", script(LATE + "1 / 0\n"))
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert "script raised" in summary(done)
    assert "tensan/" not in done.stderr.partition("ZeroDivisionError")[0]


def test_rules_are_chosen(tensan, script):
    name = script("import tinyframe; tinyframe.step()")

    def codes(*flags):
        document = tensan("run", "-q", "--json", "-", *flags, name).stdout
        return [found["code"] for found in json.loads(document)["findings"]]

    assert codes() == []
    assert codes("--select", "ALL") == ["LOS992"]
    assert codes("--select", "LOS,fussy") == ["LOS992"]
    assert codes("--preview") == ["OPT992"]
    assert codes("--select", "on-trial") == ["OPT992"]
    assert codes("--select", "OPT") == []


def test_per_file_ignores_take_families(tensan, script):
    Path("pyproject.toml").write_text("[tool.tensan]\nper-file-ignores = {'train.py' = ['OPT']}\n")
    assert "0 findings; 1 of 2 rules armed; 1 suppressed" in summary(tensan("run", script(LATE)))


def test_a_baseline_silences_what_is_known(tensan, script):
    name = script(LATE)
    tensan("run", "-q", "--json", "old.json", name)
    for baseline in ("old.json", str(runs()[0])):
        assert "0 findings; 1 of 2 rules armed; 1 suppressed" in summary(tensan("run", "--baseline", baseline, name))


def test_switched_off_means_no_patch_and_no_trace(tensan, script):
    finders, handler = "[type(f).__name__ for f in sys.meta_path]", "signal.getsignal(signal.SIGUSR1).name"
    name = script(f"import sys, signal; print({finders}, {handler}, 'wrapt' in sys.modules)")
    done = tensan("run", name, env={"TENSAN": "0"})
    bare = subprocess.run([sys.executable, name], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (bare.stdout, bare.stderr)
    assert not Path(".tensan").exists()


def test_reports_need_nothing_but_msgspec_and_wrapt_before_the_script_ends(tensan, script):
    done = tensan("run", script("import sys; print(sorted({'rich', 'jinja2', 'tensan.sinks.terminal'} & set(sys.modules)))"))
    assert done.stdout == "[]\n"


def test_the_summary_says_when_nothing_was_watched(tensan, script):
    assert "not checked: everything (no framework that tensan knows was imported)" in summary(tensan("run", script("pass")))


def test_progress_bars_keep_their_line(tensan, script):
    bar = "import sys, tinyframe\nfor n in range(3):\n    sys.stderr.write(f'\\r {n}/9 [###   ]')\ntinyframe.clip()\n"
    done = tensan("run", script(bar))
    assert done.stderr.startswith("\n 0/9 [###   ]\n 1/9 [###   ]\n 2/9 [###   ]\nerror[OPT991]")  # text mode reads \\r as a line end
    body = "from rich.progress import track\nimport tinyframe\nfor n in track(range(3)):\n    tinyframe.step()\ntinyframe.clip()\n"
    bare = subprocess.run([sys.executable, script(body)], env=os.environ | {"PYTHONPATH": str(PROGRAMS)}, capture_output=True, text=True)
    done = tensan("run", script(body))
    assert done.stdout.splitlines()[-1].split()[:2] == bare.stdout.splitlines()[-1].split()[:2]
    assert "1 finding" in summary(done)


# ---- trouble on the way ----


def test_an_unwritable_output_folder_becomes_a_temporary_one(tensan, script):
    Path("file").write_text("")
    done = tensan("run", "--output", "file/runs", script(LATE), env={"TMPDIR": str(Path.cwd())})
    assert done.returncode == 0
    (line,) = [line for line in done.stderr.splitlines() if "TEN902" in line]
    kept = Path(line.rpartition("the run file is ")[2])
    assert "1 finding" in summary(done)
    assert tensan("report", str(kept)).stdout.startswith("error[OPT991]")


def test_a_json_report_that_cannot_be_written_is_one_line(tensan, script):
    done = tensan("run", "-q", "--json", "nowhere/out.json", script(LATE))
    assert done.returncode == 0
    assert done.stderr.startswith("tensan: nowhere/out.json: the JSON report cannot be written: No such file or directory; `tensan report ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("format", ["json", "html", "sarif"])
@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("nowhere/out", "No such file or directory"),
        ("train.py/out", "Not a directory"),
        (".", "Is a directory"),
        pytest.param("/dev/full", "No space left on device", marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="none here")),
    ],
)
def test_no_document_that_cannot_be_written_costs_more_than_a_line(tensan, script, format, target, problem):
    done = tensan("run", f"--{format}", target, script(LATE + "print('done')\n"))
    assert (done.returncode, done.stdout) == (0, "done\n")
    (line,) = [line for line in done.stderr.splitlines() if "cannot be written" in line]
    assert line.startswith(f"tensan: {target}: the {format.upper()} report cannot be written: {problem}; `tensan report ")
    assert "1 finding" in summary(done)
    assert not list(Path().glob(".*out*"))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that nobody can write to")
def test_a_working_folder_that_cannot_be_written(command, script, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(Path(command[1]).parent), "TMPDIR": str(tmp_path)}
    path = tmp_path / script(LATE + "print('done')\n")
    done = subprocess.run([*command, "run", str(path)], cwd="/proc", env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "done\n")
    (line,) = [line for line in done.stderr.splitlines() if "TEN902" in line]
    assert "1 finding" in summary(done)
    shown = subprocess.run([*command, "report", line.rpartition("the run file is ")[2]], env=environment, capture_output=True, text=True)
    assert shown.stdout.startswith("error[OPT991]")


def test_a_json_report_may_go_into_a_pipe(tensan, script):
    os.mkfifo("pipe")
    heard = []
    reader = threading.Thread(target=lambda: heard.append(Path("pipe").read_text()))
    reader.start()
    tensan("run", "-q", "--json", "pipe", script(LATE))
    reader.join(10)
    assert json.loads(heard[0])["findings"][0]["code"] == "OPT991"
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_a_full_disk_is_said_and_the_run_goes_on(tensan, script):
    done = tensan("run", script(LATE + "print('done')\n"), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)))
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert sum("TEN902" in line for line in done.stderr.splitlines()) == 1
    assert "1 finding" in summary(done)


def test_a_killed_run_leaves_a_readable_one(tensan, script):
    done = tensan("run", script(LATE + "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"))
    assert done.returncode == -signal.SIGKILL
    shown = tensan("report").stdout
    assert shown.startswith("error[OPT991]")
    assert "script cut short; 1 step;" in shown.splitlines()[-1]


def test_interrupted_leaves_a_report(tensan, script):
    done = tensan("run", script(LATE + "import os, signal; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(9)\n"))
    assert done.returncode == -signal.SIGINT
    assert "script interrupted" in summary(done)
    assert "error[OPT991]" in done.stderr


def test_a_signal_asks_for_the_state_so_far(command, script, tmp_path):
    name = script(LATE + "print('ready', flush=True)\ninput()\nprint('done')\n")
    environment = os.environ | {"PYTHONPATH": str(Path(command[1]).parent)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, "run", name], cwd=tmp_path, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGUSR1)
        lines = []
        while not lines or not lines[-1].startswith("SUMMARY"):
            lines.append(process.stderr.readline())
        out, rest = process.communicate("\n", timeout=30)
    assert lines[1].startswith("error[OPT991]")
    assert "still running; 3 steps" in lines[-1]
    assert (out, process.returncode) == ("done\n", 0)
    assert "script" not in rest.splitlines()[-1]


def test_the_signal_stays_the_scripts(tensan, script):
    body = "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('mine'))\nos.kill(os.getpid(), signal.SIGUSR1)\n"
    assert tensan("run", script(body)).stdout == "mine\n"
    look = "print(signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL)"
    assert tensan("run", script(f"import os, signal\nif not os.fork(): {look}\nelse: os.wait()\n")).stdout == "True\n"
    assert tensan("run", script(f"import signal; {look}"), env={"SLURM_JOB_ID": "1"}).stdout == "True\n"


def test_a_thousand_findings_do_not_flood(tensan, script):
    done = tensan("run", script("import tinyframe\nfor n in range(1000):\n    tinyframe.clip(line=n + 1)\n"))
    assert done.stderr.count("error[OPT991]") == 20
    assert "... and 30 more: `tensan report`" in done.stderr
    assert "950 more findings" in done.stderr
    assert len(done.stderr.splitlines()) < 250
    assert tensan("report").stdout.count("error[OPT991]") == 50


#: Counts the calls of python that each finding costs, and what the run file has grown to; `LINE` says where the finding stands.
COUNTED = """
import glob, os, sys, tinyframe

calls = 0

def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")

def spent(first, last):
    global calls
    calls = 0
    sys.setprofile(count)
    for n in range(first, last):
        tinyframe.clip(line=LINE)
    sys.setprofile(None)
    return calls, sum(os.path.getsize(path) for path in glob.glob(".tensan/runs/*.jsonl"))

print(*spent(0, 50), *spent(50, 100), *spent(9_900, 9_950))
"""


@pytest.mark.parametrize("line", ["n + 1", "3", "n % 70 + 1"], ids=["each elsewhere", "all at one place", "at many places"])
def test_findings_do_not_slow_the_run(tensan, script, line):
    """Counted, since times are noisy: what comes after the first of them costs little, and always the same."""
    done = tensan("run", "-q", script(COUNTED.replace("LINE", line)))
    first, size, second, later_size, last, last_size = map(int, done.stdout.split())
    assert last <= second
    assert last < 40 * 50
    assert last < first
    assert last_size == later_size
    assert later_size < size + 50_000


def test_other_ranks_say_only_what_the_first_did_not_find(script, command, tmp_path):
    script(
        "import os, time, tinyframe\ntinyframe.clip('all')\nif os.environ['RANK'] == '1':\n    time.sleep(3)\n    tinyframe.clip('one')\n"
    )
    starter = (
        "import os, subprocess, sys\n"
        "words = [*sys.argv[1:], 'run', '--fail-on', 'error', 'train.py']\n"
        "run = lambda rank: subprocess.Popen(words, env=os.environ | {'RANK': rank}, stderr=subprocess.PIPE)\n"
        "first, second = run('0'), run('1')\n"
        "error = second.communicate()[1]; print(second.returncode); sys.stderr.buffer.write(error)\n"
        "error = first.communicate()[1]; print(first.returncode); sys.stderr.buffer.write(error)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(command[1]).parent)}
    done = subprocess.run(
        [sys.executable, "-c", starter, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    # Rank 1 ends with the script's own status; rank 0 waited for it before it failed.
    assert done.stdout == "0\n1\n"
    lines = done.stderr.splitlines()
    assert lines[0] == "rank 1: train.py:5:5: error[OPT991] gradients are clipped too late"
    assert sum(line.startswith("error[OPT991]") for line in lines) == 1
    assert len(list(Path(".tensan/runs").glob("*-rank[01].jsonl"))) == 2


# ---- guests that fail ----


def test_parts_that_fail_are_switched_off(script, tmp_path):
    script(LATE + "print('done')\n")
    starter = (
        "import sys, with_tinyframe as w\n"
        "from tensan.core import plugins\n"
        "class Broken(w.TinyAdapter):\n    def install(self, watch): raise KeyError('x')\n"
        "class Late(w.TinyAdapter):\n    def finish(self, *, status): raise OSError('y')\n"
        "def adapters(*, failed):\n    failed('gone', ImportError('no such thing'))\n    return {'broken': Broken, 'late': Late}\n"
        "w.inject(); plugins.adapters = adapters\n"
        "class Sink:\n    format = 'full'\n    def write(self, report, stream): raise ValueError('sink')\n"
        "plugins.sinks = lambda: {'full': Sink}\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent / "programs")}
    for ending, words in (("", ()), ("plugins.sinks = lambda: {}\n", ())):
        code = starter + ending + "from tensan.cli.main import main\nmain(['run', 'train.py'])"
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
        assert summary(done).startswith("SUMMARY: tensan: 1 finding")
    report = subprocess.run([sys.executable, "-m", "tensan", "report"], cwd=tmp_path, capture_output=True, text=True, timeout=60).stdout
    for part in ("adapter gone failed and was switched off: ImportError", "adapter broken failed", "adapter late failed"):
        assert f"TEN901: {part}" in report


# ---- torch ----


def _torch_adapter_exists():
    try:
        from tensan.adapters.torch import TorchAdapter  # noqa: F401
    except Exception:  # noqa: BLE001 - being written
        return False
    return True


@pytest.mark.skipif(not _torch_adapter_exists(), reason="the adapter is not there yet")
def test_steps_with_torch(script):
    name = script(
        "import torch\nw = torch.nn.Linear(2, 1)\no = torch.optim.SGD(w.parameters(), lr=0.1)\n"
        "for i in range(50):\n    o.zero_grad(); w(torch.ones(3, 2)).pow(2).mean().backward(); o.step()\nprint('never')\n"
    )
    done = subprocess.run([sys.executable, "-m", "tensan", "run", "--steps", "4", name], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")
    assert "script stopped; 4 steps" in summary(done)
