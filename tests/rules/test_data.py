"""DAT: stored data that changes again and again, and data that settles."""

from rules.making import Story, at, loader

from tensan.core.events.data import EpochStart, ItemEdited
from tensan.rules.data.stored_data_edited_in_place import StoredDataEditedInPlace


def edited(*passes, anew=False):
    """One edit for each number: the pass over the data that it happened in."""
    story = Story(StoredDataEditedInPlace)
    begun = 0
    for number, epoch in enumerate(passes, 1):
        while begun < epoch:
            begun += 1
            story.tell(EpochStart(loader=loader(begun if anew else 1, made=at(60), epochs=1 if anew else begun)))
        name = f"loader:{begun if anew else 1}"
        story.tell(ItemEdited(site=at(11), loader=name, rows=1, fetches=number + 1, edits=number, passes=1 if anew else epoch))
    return story


def test_stored_data_edited_in_each_epoch():
    story = edited(1, 1, 2, 2, 3)
    assert story.told == [("DAT101", "error", 11)]
    assert story.findings[0].message == "fetching items changes the stored data, again in epoch 2"
    assert story.findings[0].count == 3
    assert edited(1, 1, 2, 3, anew=True).told == [("DAT101", "error", 11)]


def test_edits_of_the_first_pass():
    story = edited(*[1] * 12)
    assert story.told == []
    assert story.tell(EpochStart(loader=loader(epochs=2))).armed == ["DAT101"]


def test_one_odd_edit_is_no_habit():
    assert edited(1, 2).told == []
    assert edited(2).told == []
