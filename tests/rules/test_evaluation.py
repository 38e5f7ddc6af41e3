"""EVL: samples in common that are a leak, and that are meant."""

import pytest
from rules.making import Story, at, loader

from tensan.core.events.data import EpochStart, SampleOverlap
from tensan.rules.evaluation.evaluation_data_in_training import EvaluationDataInTraining

TRAIN, OTHER = loader(1, trained=True, epochs=8), loader(2, epochs=8, length=4)


def overlapped(shared, other, train, *, of=OTHER, loaders=(), order=()):
    story = Story(EvaluationDataInTraining)
    everything = {known.id: known for known in (TRAIN, of, *loaders)}
    for number in order:
        story.tell(EpochStart(loader=everything[f"loader:{number}"]))
    story.tell(SampleOverlap(train=TRAIN, other=of, num_shared=shared, num_other=other, num_train=train))
    return story.ended(loaders=tuple(everything.values()))


@pytest.fixture
def named(tmp_path):
    """Returns a loader that the program gave a name to."""

    def make(name, number=2, **fields):
        path = tmp_path / f"{name}.py"
        path.write_text(f"{name} = DataLoader(data)\n")
        return loader(number, made=at(1, str(path)), **({"epochs": 8, "length": 4} | fields))

    return make


def test_validation_within_the_training_data():
    story = overlapped(120, 120, 600, order=(1, 2, 1, 2))
    assert story.told == [("EVL101", "error", 62)]
    assert story.findings[0].related[0]["line"] == 61
    assert story.findings[0].message.startswith("100% of what is evaluated is trained on")


def test_part_of_the_samples():
    assert overlapped(10, 100, 300).told == [("EVL101", "error", 62)]
    assert overlapped(3, 100, 300).told == []
    assert overlapped(4, 4, 300).told == []


def test_quality_on_the_training_data(named):
    clean = loader(3, epochs=8)
    assert overlapped(600, 600, 600).told == []
    assert overlapped(120, 120, 600, loaders=(clean,)).told == []
    assert overlapped(120, 120, 600, of=named("train_eval_loader")).told == []
    assert overlapped(600, 600, 600, of=named("val_loader"), loaders=(clean,)).told == []


def test_names_say_what_is_held_out(named):
    assert overlapped(600, 600, 600, of=named("val_loader")).told == [("EVL101", "warning", 1)]
    assert overlapped(120, 120, 600, of=named("val_loader"), loaders=(loader(3, epochs=1),)).told == [("EVL101", "error", 1)]


def test_rarely_evaluated_clean_loader_does_not_excuse():
    assert overlapped(120, 120, 600, loaders=(loader(3, epochs=1),)).told == [("EVL101", "warning", 62)]


def test_folds_and_refits():
    other_fold = loader(4, trained=True, epochs=3, made=at(61))
    assert overlapped(60, 60, 180, loaders=(other_fold,), order=(1, 4, 2)).told == []  # each fold has its own pair
    assert overlapped(60, 60, 180, order=(2, 1)).told == []  # refitted on all data, and not evaluated since


def test_armed_by_a_loader_that_is_only_evaluated():
    assert Story(EvaluationDataInTraining).ended(loaders=(TRAIN, OTHER)).armed == ["EVL101"]
    assert Story(EvaluationDataInTraining).ended(loaders=(TRAIN,)).armed == []


def test_parts_of_the_training_data_to_look_at(named):
    assert overlapped(120, 120, 600, of=named("pictures")).told == []
    assert overlapped(120, 120, 600, of=named("bn_values")).told == []
    assert overlapped(120, 120, 600, of=named("eval_loader")).told == [("EVL101", "error", 1)]
    assert overlapped(600, 600, 600, of=named("eval_loader")).told == []  # what a net has memorised is measured so
    assert overlapped(600, 600, 600, of=named("device_loader")).told == []
