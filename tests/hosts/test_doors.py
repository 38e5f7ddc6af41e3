"""The doors of libraries: closed unless somebody asks, and never a second watch beside the first."""

import subprocess
import sys
from pathlib import Path

import pytest
from hosts.libraries import OFFLINE, need

PROGRAMS = Path(__file__).parent / "programs"
FOUND = "warning[OPT101]: `head.weight` and `head.bias` get gradient but no optimizer owns them"


def run(*command, folder, **environment):
    own = OFFLINE | {"PYTHONPATH": ":".join(sys.path)} | environment
    done = subprocess.run([sys.executable, *map(str, command)], cwd=folder, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


# Here the program itself imports the library, after tensan under `tensan run` and before it otherwise: as it is in earnest.
@pytest.mark.slow
@pytest.mark.parametrize("launched", [(), ("-m", "tensan", "run")], ids=["by itself", "under tensan run"])
def test_lightning(launched, tmp_path):
    need("lightning")
    program = PROGRAMS / "lightning" / "bad_head_not_in_optimizer.py"
    stderr = run(*launched, program, folder=tmp_path, TENSAN="1")
    assert stderr.count(FOUND) == stderr.count("SUMMARY: tensan: 1 finding") == 1, stderr
    assert stderr.count(f"--> {program}:22:") == 1


@pytest.mark.parametrize("environment", [{}, {"TENSAN": "0"}], ids=["nobody asks", "switched off"])
def test_lightning_unasked(environment, tmp_path):
    code = "import sys; from tensan.hosts.lightning import callbacks; assert not callbacks(); assert 'tensan.launch' not in sys.modules"
    assert run("-c", code, folder=tmp_path, **environment) == ""
    assert not (tmp_path / ".tensan").exists()


@pytest.mark.slow
@pytest.mark.parametrize("launched", [(), ("-m", "tensan", "run")], ids=["by itself", "under tensan run"])
def test_transformers(launched, tmp_path):
    need("transformers")
    source = (PROGRAMS / "transformers" / "bad_broadcast_in_loss.py").read_text()
    source = source.replace("import torch\n", "import torch\nfrom tensan.hosts.transformers import TensanCallback\n")
    program = tmp_path / "train.py"
    program.write_text(source.replace("    train_dataset=", "    callbacks=[TensanCallback()],\n    train_dataset="))
    stderr = run(*launched, program, folder=tmp_path)
    assert stderr.count("error[SHP101]") == stderr.count("SUMMARY: tensan: 1 finding") == 1, stderr
    assert "--> train.py:12:" in stderr


@pytest.mark.slow
def test_accelerate_launch(tmp_path):
    need("accelerate")
    program = PROGRAMS / "accelerate" / "bad_head_not_in_optimizer.py"
    stderr = run("-m", "accelerate.commands.launch", "--cpu", "--num_processes", "1", "-m", "tensan", "run", program, folder=tmp_path)
    assert stderr.count(FOUND) == 1, stderr


def test_a_wrong_setting_leaves_the_program_alone(tmp_path):
    code = "from tensan.hosts.lightning import callbacks; print(callbacks())"
    stderr = run("-c", code, folder=tmp_path, TENSAN="1", TENSAN_OVERHEAD="much")
    assert stderr.startswith("tensan: error: environment variable TENSAN_OVERHEAD: overhead: expected a number, got 'much'")


def test_the_hook_for_pre_commit(tmp_path):
    manifest = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
    run("-m", "pre_commit", "validate-manifest", manifest, folder=tmp_path)
    assert "entry: tensan doctor --check\n" in manifest.read_text()
    (tmp_path / "pyproject.toml").write_text('[tool.tensan]\nselect = ["OPT"]\n')
    assert run("-m", "tensan", "doctor", "--check", folder=tmp_path) == ""
    (tmp_path / "pyproject.toml").write_text('[tool.tensan]\nselect = ["broadcast-in-los"]\n')
    done = subprocess.run([sys.executable, "-m", "tensan", "doctor", "--check"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "unknown rule 'broadcast-in-los'; did you mean broadcast-in-loss?" in done.stderr
    assert not done.stdout
