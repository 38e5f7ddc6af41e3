"""Stages with random numbers of their own: none shifts another's, workers differ, the outside is as it was, and who seeds is named."""

import itertools
import multiprocessing
import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

import tensan
from tensan.core.errors import UsageError
from tensan.determinism import run_seed, scope, states


def draw():
    return random.random(), float(np.random.random()), float(np.random.normal()), float(torch.rand(1))


def live():
    return random.getstate(), [str(each) for each in np.random.get_state()], torch.get_rng_state().tolist()


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Begins with no stages, with a seed of the run, and with generators that stand somewhere."""
    monkeypatch.setattr(scope, "_process", scope._Process())
    monkeypatch.setattr(run_seed, "_seed", 7)
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    draw()


def test_the_outside_is_as_it_was_whatever_happens_inside():
    before = live()
    with tensan.scope("augment"):
        assert live() != before
        draw()
        random.seed(0), np.random.seed(0), torch.manual_seed(0)
    assert live() == before
    with pytest.raises(ZeroDivisionError), tensan.scope("augment"):
        draw()[0] / 0
    assert live() == before


def test_a_stages_numbers_go_on_and_depend_on_nothing_that_others_draw():
    def run(disturbed):
        scope._process = scope._Process()
        drawn = []
        for _ in range(3):
            with tensan.scope("augment"):
                drawn.append(draw())
            if disturbed:
                draw(), random.seed(3), torch.manual_seed(4)
                with tensan.scope("other"):
                    draw()
        return drawn

    quiet, disturbed = run(disturbed=False), run(disturbed=True)
    assert quiet == disturbed
    assert len(set(itertools.chain(*quiet))) == 12, "each entry draws other numbers"


def test_stages_and_seeds_have_numbers_of_their_own():
    drawn = []
    for name, seed in (("a", None), ("b", None), ("a", 1), ("a", 2)):
        with tensan.scope(name, seed=seed):
            drawn.append(draw())
    run_seed.set_run_seed(8)
    with tensan.scope("a"):
        drawn.append(draw())
    assert len(set(itertools.chain(*drawn))) == 20
    scope._process = scope._Process()
    with tensan.scope("a", seed=1):
        assert draw() == drawn[2]


def test_nested_blocks_go_on_with_their_own():
    with tensan.scope("a"):
        straight = [draw() for _ in range(4)]
    with tensan.scope("b"):
        other = draw()
    scope._process = scope._Process()
    before, nested = live(), []
    with tensan.scope("a"):
        nested.append(draw())
        with tensan.scope("a"):
            nested.append(draw())
        with tensan.scope("b"):
            assert draw() == other
            with tensan.scope("a"):
                nested.append(draw())
        nested.append(draw())
    assert nested == straight
    assert live() == before


def test_it_decorates_functions_and_each_stretch_of_a_generator():
    drawn_outside = []

    @tensan.scope("noise")
    def noise():
        return draw()

    @tensan.scope("rows")
    def rows(count):
        for _ in range(count):
            yield draw()
        return "end"

    with tensan.scope("rows"):
        straight = [draw() for _ in range(3)]
    scope._process = scope._Process()
    state = live()
    drawn = []
    for row in rows(3):
        drawn.append(row)
        assert live() == state, "between two rows the generators are the program's"
        drawn_outside.append(draw())
        state = live()
    assert drawn == straight
    assert noise() != noise()
    assert live() == state
    inner = rows(1)
    next(inner)
    with pytest.raises(StopIteration) as end:
        next(inner)
    assert end.value.value == "end"

    async def coroutine():
        pass

    with pytest.raises(UsageError, match="coroutine"):
        tensan.scope("c")(coroutine)


def test_who_seeds_and_who_draws_is_told():
    def seeds_numpy():
        np.random.seed(0)
        np.random.random(3)

    did = {
        "nothing": lambda: None,
        "python": lambda: random.random(),
        "much of python": lambda: [random.getrandbits(32 * 624) for _ in range(50)],
        "numpy": lambda: np.random.standard_normal(5000),
        "torch": lambda: torch.rand(10_000),
        "seeds python": lambda: random.seed(5),
        "seeds numpy": seeds_numpy,
        "seeds torch": lambda: (torch.manual_seed(5), torch.rand(3)),
        "all": draw,
    }
    for _ in range(2):
        for name, do in did.items():
            with tensan.scope(name):
                do()
    assert {stage.name: stage.generators for stage in tensan.scope.stages()} == {
        "nothing": {},
        "python": {"python": "drawn from"},
        "much of python": {"python": "drawn from"},
        "numpy": {"numpy": "drawn from"},
        "torch": {"torch": "drawn from"},
        "seeds python": {"python": "seeded"},
        "seeds numpy": {"numpy": "seeded"},
        "seeds torch": {"torch": "seeded"},
        "all": {"numpy": "drawn from", "python": "drawn from", "torch": "drawn from"},
    }
    told = {stage.name: str(stage) for stage in tensan.scope.stages()}
    assert told["nothing"] == "nothing: entered 2 times; no generator was touched"
    assert told["seeds numpy"] == "seeds numpy: entered 2 times; seeded: numpy"


def test_another_generator_of_numpy():
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(3))
    try:
        state = np.random.get_state(legacy=False)
        with tensan.scope("a") as stage:
            first = np.random.random(2)
        with tensan.scope("a"):
            assert not set(np.random.random(2)) & set(first)
        assert str(np.random.get_state(legacy=False)) == str(state)
        assert stage.generators == {"numpy": "drawn from"}
    finally:
        np.random.set_bit_generator(before)


def test_a_second_thread_is_refused():
    errors = []

    def other():
        try:
            with tensan.scope("b"):
                pass
        except UsageError as error:
            errors.append(str(error))

    with tensan.scope("a"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        inside = live()
    assert len(errors) == 1
    assert errors[0].startswith("tensan.scope('b'): the stage 'a' is open in another thread")
    assert live() != inside
    other()
    assert len(errors) == 1


def test_blocks_that_cross_are_refused():
    before = live()
    first, second = tensan.scope("a"), tensan.scope("b")
    first.__enter__()
    second.__enter__()
    with pytest.raises(UsageError, match=r"tensan.scope\('a'\): the stage 'b', entered later, is still open"):
        first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert live() == before


@pytest.mark.parametrize(
    ("arguments", "words"), [({"name": ""}, "name: expected"), ({"name": 3}, "name: expected"), ({"name": "a", "seed": "x"}, "seed")]
)
def test_what_is_no_name_or_seed_is_refused(arguments, words):
    with pytest.raises(UsageError, match=words):
        tensan.scope(**arguments)


# ---- processes ----


@tensan.scope("augment")
def augmented(index):
    return [float(index), *draw()]


class Noisy(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        outside = draw()
        return torch.tensor([*augmented(index), *outside], dtype=torch.float64)


class Stream(IterableDataset):
    @tensan.scope("augment")
    def __iter__(self):
        for index in range(4):
            yield torch.tensor([float(index), *draw()], dtype=torch.float64)


def epochs(dataset, *, workers, persistent, start):
    loader = DataLoader(
        dataset,
        batch_size=2,
        num_workers=workers,
        persistent_workers=persistent,
        multiprocessing_context=start if workers else None,
    )
    return [[[float(value) for value in row] for batch in loader for row in batch] for _ in range(2)]


@pytest.mark.parametrize("start", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
@pytest.mark.parametrize("persistent", [True, False])
def test_workers_and_epochs_draw_different_numbers_and_a_run_can_be_had_again(start, persistent):
    def run():
        torch.manual_seed(5)
        with tensan.scope("augment"):
            draw()  # in the parent: the workers must not go on with these
        return epochs(Noisy(), workers=2, persistent=persistent, start=start)

    first = run()
    drawn = [value for epoch in first for row in epoch for value in row[1:5]]
    assert len(set(drawn)) == len(drawn) == 2 * 8 * 4
    again = run()
    assert [[row[1:5] for row in epoch] for epoch in again] == [[row[1:5] for row in epoch] for epoch in first]


def test_workers_of_a_stream():
    rows = [row for epoch in epochs(Stream(), workers=2, persistent=False, start="fork") for row in epoch]
    drawn = [value for row in rows for value in row[1:]]
    assert len(rows) == 16
    assert len(set(drawn)) == len(drawn)


@pytest.mark.slow  # spawned workers import torch anew
def test_forked_and_spawned_workers_draw_the_same():
    drawn = []
    for start in ("fork", "spawn"):
        torch.manual_seed(5)
        drawn.append([row[1:5] for epoch in epochs(Noisy(), workers=2, persistent=False, start=start) for row in epoch])
    assert drawn[0] == drawn[1]


def test_no_worker_at_all():
    outside = live()
    first = epochs(Noisy(), workers=0, persistent=False, start=None)
    assert len({value for epoch in first for row in epoch for value in row[1:5]}) == 64
    assert live() != outside


def send(queue):
    with tensan.scope("a"):
        queue.put(draw())


def test_processes_that_are_forked_draw_their_own():
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    with tensan.scope("a"):
        drawn = [draw()]
    for number in range(2):
        process = context.Process(target=send, args=(queue,), name=f"mine-{number}")
        process.start()
        drawn.append(queue.get())
        process.join()
    assert len(set(itertools.chain(*drawn))) == 12


def test_a_process_that_was_forked_inside_of_a_block_leaves_it_quietly():
    reading, writing = os.pipe()
    with tensan.scope("a"):
        child = os.fork()
    if not child:
        with tensan.scope("a"):
            os.write(writing, repr(draw()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    with tensan.scope("a"):
        assert os.read(reading, 1000).decode() not in ("", repr(draw()))


PROGRAM = """
import os, sys, tensan
if sys.argv[1] == "seeded":
    tensan.deterministic(3)
import random
with tensan.scope("before"):
    random.random()
with tensan.scope("first weights", per_rank=sys.argv[2] == "own"):
    print(random.random())
"""


def ranks(*arguments):
    done = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments], env={**os.environ, "RANK": rank}, capture_output=True, text=True, timeout=60
        )
        for rank in ("0", "1")
    ]
    return [(each.returncode, each.stdout or each.stderr.splitlines()[-1]) for each in done]


def test_ranks():
    own = ranks("seeded", "own")
    assert len(set(own)) == 2
    assert own == ranks("seeded", "own")
    alike = ranks("seeded", "alike")
    assert len(set(alike)) == 1
    assert alike[0][0] == 0
    refused = ranks("unseeded", "alike")
    assert [status for status, _ in refused] == [1, 1]
    assert "call tensan.deterministic(seed) first, or give seed=" in refused[0][1]


def test_a_library_that_comes_inside_is_put_to_its_beginning():
    code = (
        "import sys, tensan, random\nbefore = random.getstate()\nassert 'torch' not in sys.modules\n"
        "with tensan.scope('a'):\n    import torch\n    torch.rand(3)\n"
        "assert random.getstate() == before\n"
        "fresh = torch.Generator().manual_seed(torch.initial_seed()).get_state()\n"
        "assert torch.equal(torch.get_rng_state(), fresh)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_watched_run_names_the_stage_that_seeds(tmp_path, watched):
    program = tmp_path / "train.py"
    program.write_text(
        "import random, tensan\n"
        "for _ in range(3):\n"
        "    with tensan.scope('augment'):\n        random.seed(0)\n"
        "    with tensan.scope('shuffle'):\n        random.random()\n"
    )
    outcome = watched(program)
    assert outcome.status == 0, outcome.stderr
    assert [note for note in outcome.report.run.notes if "stage" in note] == [
        "the stage 'augment' seeds python itself: each time it draws the same numbers"
    ]


def test_states_tell_a_seed_from_draws():
    before = states.read()
    np.random.seed(0)
    assert states.changed(before, states.read(), known={}) == {"numpy": "seeded"}
