"""`%load_ext tensan` in a real shell and in a real notebook: findings name the cell and its line."""

import gc
import subprocess
import sys
import warnings

import pytest
from hosts.libraries import need

CELLS = (
    "%load_ext tensan",
    "import torch\nfrom torch import nn\ntorch.manual_seed(0)",
    "model = nn.Linear(4, 1)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.01)",
    "for _ in range(6):\n"
    "    x = torch.randn(16, 4)\n"
    "    loss = ((model(x) - x.sum(1)) ** 2).mean()\n"
    "    optimizer.zero_grad()\n"
    "    loss.backward()\n"
    "    optimizer.step()",
)
SHELL = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in {cells!r}:
    result = shell.run_cell(cell, store_history=True)
    assert result.success, result.error_in_exec
    if result.result is not None:
        print(repr(result.result))
"""


def run(*more, folder):
    need("IPython")
    script = folder / "shell.py"
    script.write_text(SHELL.format(cells=[*CELLS, *more]))
    environment = {"IPYTHONDIR": str(folder), "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    return subprocess.run([sys.executable, str(script)], cwd=folder, env=environment, capture_output=True, text=True)


def test_the_cell_is_named(tmp_path):
    done = run("%tensan", "%tensan off", "%tensan", "%unload_ext tensan", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    so_far, at_the_end = done.stdout.split("SUMMARY: tensan: ")[:2]
    assert "error[SHP101]: loss compares f32[16, 1] with f32[16]" in so_far
    assert "--> Cell In[4]:3:14" in so_far
    assert "= proof: permuting" in so_far
    assert "loss = ((model(x) - x.sum(1)) ** 2).mean()" in so_far
    assert "still running" in at_the_end
    assert "error[SHP101]" in at_the_end
    assert "nothing is watched; `%tensan on` begins" in done.stdout
    assert "SUMMARY" not in done.stderr


def test_the_shell_ends_with_its_report(tmp_path):
    done = run(folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("error[SHP101]") == 1
    assert "--> Cell In[4]:3:14" in done.stderr


def test_a_comment_in_the_cell_silences(tmp_path):
    cells = [cell.replace(".mean()", ".mean()  # tensan: ignore[broadcast-in-loss] on purpose") for cell in CELLS]
    need("IPython")
    script = tmp_path / "shell.py"
    script.write_text(SHELL.format(cells=[*cells, "%tensan"]))
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert "SUMMARY: tensan: 0 findings" in done.stdout, done.stderr
    assert "1 suppressed" in done.stdout


@pytest.mark.slow
def test_a_notebook(tmp_path, monkeypatch):
    need("nbclient")
    need("ipykernel")
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    manager = AsyncKernelManager()
    manager._kernel_spec = KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], language="python")
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in (*CELLS, "%tensan")])
    NotebookClient(notebook, km=manager, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    del manager
    with warnings.catch_warnings():  # the client leaves its sockets to the collector, whose warning would fall into another test
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    (output,) = notebook.cells[-1].outputs
    assert "Cell In[4]:3" in output.data["text/html"]
    assert "error[SHP101]" in output.data["text/plain"]
    assert "--> Cell In[4]:3:14" in output.data["text/plain"]
    assert "= proof: permuting" in output.data["text/plain"]
