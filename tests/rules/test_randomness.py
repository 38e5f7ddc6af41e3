"""RNG: generators of workers that are alike, and that are not."""

from rules.making import Story, at, loader

from tensan.core.events.data import EpochStart
from tensan.core.events.randomness import RandomState
from tensan.rules.randomness.generator_copied_into_workers import GeneratorCopiedIntoWorkers


def state(worker, *, epoch, digest="a", drawn=True):
    """What a worker tells of a generator."""
    return RandomState(
        generator="self.rng",
        kind="Generator",
        loader="loader:1",
        worker=worker,
        epoch=epoch,
        digest=digest,
        drawn=drawn,
        made=at(8),
        site=at(12),
    )


def states(digests, *, drawn=True, loaders=(), epochs=(1,)):
    """The digest that each worker found, in each epoch."""
    story = Story(GeneratorCopiedIntoWorkers)
    for epoch in epochs:
        for worker, digest in enumerate(digests):
            story.tell(state(worker, epoch=epoch, digest=digest, drawn=drawn))
    return story.ended(loaders=loaders)


def test_workers_draw_the_same():
    story = states(["a", "a"], epochs=(1, 2))
    assert story.told == [("RNG101", "error", 8)]
    assert story.findings[0].message == "2 loader workers draw the same random numbers from copies of `self.rng`, in each of 2 epochs"
    assert states(["a", "b", "b"]).told == [("RNG101", "error", 8)]


def test_workers_that_differ_or_do_not_draw():
    assert states(["a", "b"]).told == []
    assert states(["a", "a"], drawn=False).told == []
    assert states(["a"], epochs=(1, 2)).told == []


def test_only_loaders_that_are_trained_on():
    assert states(["a", "a"], loaders=(loader(1), loader(2, trained=True))).told == []
    assert states(["a", "a"], loaders=(loader(1, trained=True), loader(2))).told == [("RNG101", "error", 8)]


def test_workers_arm():
    assert Story(GeneratorCopiedIntoWorkers).tell(EpochStart(loader=loader(num_workers=2))).armed == ["RNG101"]
    assert Story(GeneratorCopiedIntoWorkers).tell(EpochStart(loader=loader())).armed == []


def test_the_next_epoch_tells_what_workers_have_found():
    story = Story(GeneratorCopiedIntoWorkers)
    story.tell(*(state(worker, epoch=1) for worker in range(2)))
    assert story.tell(EpochStart(loader=loader(1, num_workers=2))).told == [], "nobody has learned from it yet"
    assert story.tell(EpochStart(loader=loader(2, num_workers=2, trained=True))).told == [], "another loader"
    assert story.tell(EpochStart(loader=loader(1, num_workers=2, trained=True))).told == [("RNG101", "error", 8)]
    story.tell(*(state(worker, epoch=2) for worker in range(2)), EpochStart(loader=loader(1, num_workers=2, trained=True)))
    assert story.ended(loaders=(loader(1, trained=True),)).told == [("RNG101", "error", 8)], "once"
