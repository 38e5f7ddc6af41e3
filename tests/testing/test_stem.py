"""The process that forks a child for each program: what a program sees there, and what comes back."""

import pytest


@pytest.fixture
def run(stem, tmp_path):
    def run(text, **options):
        script = tmp_path / "program.py"
        script.write_text(text)
        return stem.run(script, **options)

    return run


def test_a_program_runs_as_the_main_script(run):
    outcome = run("import sys\nprint(__name__, sys.argv[1:], sys.path[0] == __file__.rsplit('/', 1)[0])\nsys.exit(3)", arguments=["a", "b"])
    assert (outcome.status, outcome.stdout) == (3, "__main__ ['a', 'b'] True\n")


@pytest.mark.parametrize("is_watched", [False, True])
def test_a_traceback_is_pythons_own(run, is_watched):
    outcome = run("def f():\n    raise ValueError('x')\nf()", watched=is_watched)
    assert outcome.status == 1
    assert outcome.stderr.splitlines()[-1] == "ValueError: x"
    assert "tensan" not in outcome.stderr.replace("tensan-stem", "")
    assert outcome.stderr.count("File") == 2


def test_patches_are_the_childs_alone(run):
    text = "import torch\nprint(torch.optim.Optimizer.__init__.__code__.co_filename)"
    assert ["/tensan/" in run(text, watched=watched).stdout for watched in (True, False)] == [True, False]


def test_files_and_prelude(run):
    outcome = run("import os\nopen('x', 'w').write(os.environ['Y'])", prelude="import os\nos.environ['Y'] = '7'", watched=False)
    assert outcome.files == {"x": b"7"}
    assert outcome.report is None


def test_a_program_that_does_not_end_is_killed_with_its_children(run):
    outcome = run("import subprocess, time\nsubprocess.Popen(['sleep', '600'])\ntime.sleep(600)", limit=0.5)
    assert outcome.timed_out
    assert outcome.status == -9
    assert outcome.seconds < 20


def test_the_framework_that_was_imported_before_counts_for_the_budget(run):
    outcome = run("import torch\nmodel = torch.nn.Linear(2, 2)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)")
    assert outcome.report.run.overhead_pct < 5


def test_a_library_is_imported_once_for_all_programs_and_none_sees_what_another_did_to_it(run):
    text = "import os, scipy\nprint(os.getppid(), hasattr(scipy, 'spoiled'))\nscipy.spoiled = True"
    first, second, plain = run(text), run(text), run("import os\nprint(os.getppid())")
    assert first.stdout == second.stdout
    assert first.stdout.split()[1] == "False"
    assert first.stdout.split()[0] != plain.stdout.strip()


def test_a_module_beside_the_program_is_the_programs_own(run, tmp_path):
    (tmp_path / "scipy.py").write_text("HERE = 1")
    assert run("import scipy\nprint(scipy.HERE)").stdout == "1\n"


def test_a_library_that_cannot_be_had_fails_where_the_program_imports_it(run):
    outcome = run("print('begun')\nfrom scipy import nothing_of_that_name", watched=False)
    assert (outcome.status, outcome.stdout) == (1, "begun\n")
    assert "nothing_of_that_name" in outcome.stderr
