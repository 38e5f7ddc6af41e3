"""CKP: states that are copies, and states that only look like it."""

import pytest
from rules.making import ROOT, Story, at

from tensan.core.events.state import StateLoaded, StateSaved
from tensan.rules.checkpoint.best_state_aliased import BestStateAliased

KNOWN = {"num_tensors": 4, "aliased": 4, "taken": at(28), "taken_step": 6, "step": 80, "site": at(50)}


def loaded(**fields):
    return Story(BestStateAliased).tell(StateLoaded(module=ROOT, **(KNOWN | fields)))


def saved(**fields):
    return Story(BestStateAliased).tell(StateSaved(**(KNOWN | fields)))


def test_best_state_is_the_last_state():
    story = loaded()
    assert story.told == [("CKP101", "error", 28)]
    assert story.findings[0].message == "state kept at step 6 is no copy, and 74 steps later loading it back changes nothing"
    assert story.findings[0].related[0]["line"] == 50
    assert loaded(taken_step=0).told == [("CKP101", "error", 28)]  # a reset between folds that resets nothing


def test_file_of_the_best_state_holds_the_last():
    assert saved().told == [("CKP101", "error", 28)]
    assert saved(taken_step=0).told == []  # a live view, saved as it is


@pytest.mark.parametrize("fields", [{"aliased": 0}, {"aliased": 3}, {"taken_step": 80}, {"taken": None}, {"taken_step": None}])
def test_copies_and_states_of_this_very_step(fields):
    for story in (loaded(**fields), saved(**fields)):
        assert (story.told, story.armed) == ([], ["CKP101"])
