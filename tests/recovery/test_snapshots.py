"""Snapshots: a run goes on from one bit for bit, and whatever ends a save leaves a store that can be used."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from tensan.cli.main import main
from tensan.core.gate import Keeper
from tensan.recovery import folders
from tensan.recovery.keeping import MOST_SNAPSHOTS, Keeping

PROGRAM = Path(__file__).parent / "programs" / "resumed.py"
SAMPLED = PROGRAM.with_name("sampled.py")

#: Saves one snapshot after the other, as fast as it can, until it is killed.
SAVING = """
import sys
from pathlib import Path
from tensan.recovery.keeping import Keeping
keeper = Keeping(batches=Path(sys.argv[1], "b"), snapshots=Path(sys.argv[1]))
def fill(folder):
    for name in ("model.pt", "optimizer.pt"):
        (folder / name).write_bytes(step.to_bytes(4, "little") * 50_000)
for step in range(1_000_000):
    keeper.snapshot(step=step, write=fill, about={})
    if step == 0:
        print("ready", flush=True)
"""


def test_a_run_goes_on_bit_for_bit(stem, tmp_path):
    flags = {"recover": "rewind", "snapshots": "kept", "snapshot_every": 7}
    whole = stem.run(PROGRAM, flags=flags)
    assert whole.stdout == stem.run(PROGRAM, watched=False).stdout
    steps = sorted({int(path.split("step-")[1].split("/")[0]) for path in whole.files if path.startswith("kept")})
    assert len(steps) == MOST_SNAPSHOTS
    for step in steps:
        kept = tmp_path / f"step-{step}"
        kept.mkdir()
        for path, text in whole.files.items():
            if f"kept/step-{step:08d}/" in path:
                (kept / Path(path).name).write_bytes(text)
        resumed = stem.run(PROGRAM, watched=False, arguments=[str(kept), str(step)])
        assert resumed.stdout.splitlines() == whole.stdout.splitlines()[step:], resumed.stderr
        assert same(resumed.files["end.pt"], whole.files["end.pt"])


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("generator", ["global", "own"])
def test_a_run_goes_on_in_the_midst_of_an_epoch(stem, tmp_path, generator, workers):
    arguments = [generator, str(workers)]
    whole = stem.run(SAMPLED, arguments=arguments, flags={"recover": "rewind", "snapshots": "kept", "snapshot_every": 4})
    assert whole.stdout == stem.run(SAMPLED, arguments=arguments, watched=False).stdout
    by_step: dict[int, dict[str, bytes]] = {}
    for path, content in whole.files.items():
        if "kept/step-" in path:
            by_step.setdefault(int(path.split("step-")[1].split("/")[0]), {})[Path(path).name] = content
    assert len(by_step) == MOST_SNAPSHOTS
    assert any(step % 7 for step in by_step)
    for step, files in by_step.items():
        kept = tmp_path / str(step)
        kept.mkdir()
        for name, content in files.items():
            (kept / name).write_bytes(content)
        resumed = stem.run(SAMPLED, watched=False, arguments=[*arguments, str(kept)])
        done = step + (step - 1) // 7  # the end of each epoch prints a line of its own
        assert resumed.stdout.splitlines() == whole.stdout.splitlines()[done:], resumed.stderr


def same(left, right):
    values = [torch.load(io.BytesIO(text), weights_only=True) for text in (left, right)]
    return repr(plain(values[0])) == repr(plain(values[1]))


def plain(value):
    if isinstance(value, torch.Tensor):
        return value.numpy().tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def test_the_adapter_captures_and_restores_the_full_state():
    script = (
        "import tensan, torch; from torch import nn; torch.manual_seed(0)\n"
        "session = tensan.watch(quiet=True)\n"
        "model = nn.Linear(3, 1); optimizer = torch.optim.Adam(model.parameters(), lr=0.1)\n"
        "def train():\n"
        "    for _ in range(5):\n"
        "        optimizer.zero_grad(); model(torch.randn(8, 3)).pow(2).mean().backward(); optimizer.step()\n"
        "    return [*model.parameters(), *(s['exp_avg_sq'] for s in optimizer.state.values()), torch.get_rng_state()]\n"
        "train()\n"
        "adapter = session.adapters['torch']; state = adapter.capture()\n"
        "first = [t.clone() for t in train()]\n"
        "adapter.restore(state)\n"
        "print(all(torch.equal(a, b) for a, b in zip(first, train())))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "True\n"


@pytest.mark.slow
def test_a_kill_in_the_midst_of_a_save_leaves_a_store_that_can_be_used(tmp_path):
    for number in range(100):
        place = tmp_path / "store"
        process = subprocess.Popen([sys.executable, "-c", SAVING, str(place)], stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(random.Random(number).uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found = list(folders.kept(place))
        assert 1 <= len(found) <= MOST_SNAPSHOTS + 1
        for path in found:
            held = folders.verified(path)
            assert (path / "model.pt").read_bytes()[:4] == held.step.to_bytes(4, "little")
        Keeping(batches=tmp_path, snapshots=place)
        assert not [path for path in place.iterdir() if path.name.startswith(".")]


def keeper(tmp_path) -> Keeper:
    return Keeping(batches=tmp_path / "batches", snapshots=tmp_path / "kept")


def write(folder):
    (folder / "model.pt").write_bytes(b"weights")


def test_only_the_last_are_kept_and_a_resumed_run_counts_anew(tmp_path):
    for step in (100, 110, 120, 130):
        keeper(tmp_path).snapshot(step=step, write=write, about={})
    for step in (10, 110):
        keeper(tmp_path).snapshot(step=step, write=write, about={})
    assert [folders.manifest(path).step for path in folders.kept(tmp_path / "kept")] == [130, 10, 110]


def test_a_failing_save_leaves_nothing(tmp_path):
    kept = keeper(tmp_path)
    kept.snapshot(step=1, write=write, about={})

    def fail(folder):
        write(folder)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        kept.snapshot(step=2, write=fail, about={})
    assert os.listdir(tmp_path / "kept") == ["step-00000001"]


def test_damage_is_told(tmp_path):
    folder = keeper(tmp_path).snapshot(step=1, write=write, about={})
    assert folder is not None
    folders.verified(folder)
    (folder / "model.pt").write_bytes(b"weightz")
    with pytest.raises(folders.FolderError, match=r"model\.pt: is damaged"):
        folders.verified(folder)


def test_batches_are_bounded(tmp_path):
    kept = keeper(tmp_path)
    folders_of = [kept.quarantine(step=step, size=100 << 20, write=write, about={}) for step in range(4)]
    assert [folder is not None for folder in folders_of] == [True, True, False, False]


@pytest.fixture
def here(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        shown = capsys.readouterr()
        return ended.value.code, shown.out + shown.err

    return run


def test_the_commands(here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for step in (7, 14):
        keeper(tmp_path).snapshot(step=step, write=write, about={"script": "train.py"})
    assert "2 kept" in here("snapshots", "--snapshots", "kept")[1]
    shown = here("snapshots", "show", "7", "--snapshots", "kept")[1]
    assert "after step 7, every file as it was written" in shown
    assert "script: train.py" in shown
    assert here("snapshots", "restore", "--snapshots", "kept", "-o", "resumed")[0] == 0
    assert json.loads((tmp_path / "resumed" / "manifest.json").read_text())["step"] == 14
    assert (tmp_path / "resumed" / "model.pt").read_bytes() == b"weights"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("snapshots",), "--snapshots DIR"),
        (("snapshots", "show", "9", "--snapshots", "kept"), "there is: 7"),
        (("snapshots", "restore", "--snapshots", "kept", "-o", "kept"), "is there already"),
        (("snapshots", "restore", "--snapshots", "kept"), "-o DIR"),
        (("run", "--snapshots", "kept", "x.py"), "--recover"),
        (("run", "--recover", "skip", "--spike", "0.5", "x.py"), "expected a number > 1, got 0.5"),
        (("run", "--recover", "rewind", "--snapshot-every", "0", "x.py"), "expected an integer >= 1, got 0"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(here, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.py").write_text("")
    keeper(tmp_path).snapshot(step=7, write=write, about={})
    status, text = here(*words)
    assert (status, len(text.splitlines())) == (2, 1)
    assert said in text
