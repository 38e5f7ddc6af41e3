"""Folding: one bug, one alarm."""

from core.making import finding
from hypothesis import given
from hypothesis import strategies as st

from tensan.core.folding import causes


def made(effect="", explains=(), subjects=("parameter:1",)):
    return finding(effect=effect, explains=frozenset(explains), subjects=frozenset(subjects))


CUT = made("no-gradient", {"no-update"})
STILL = made("no-update")


def test_an_effect_folds_under_its_cause_wherever_it_stands():
    assert causes([CUT, STILL]) == [None, 0]
    assert causes([STILL, CUT]) == [1, None]
    assert causes([]) == []


def test_subjects_must_meet():
    assert causes([CUT, made("no-update", subjects=("parameter:2",))]) == [None, None]
    assert causes([CUT, made("no-update", subjects=("*",))]) == [None, 0]
    assert causes([made("x", {"no-update"}, ("*",)), STILL]) == [None, 0]
    assert causes([made("x", {"no-update"}, ()), STILL]) == [None, None]


def test_chains_are_followed_to_their_root():
    first, second, third = made("a", {"b"}), made("b", {"c"}), made("c")
    assert causes([first, second, third]) == [None, 0, 0]
    assert causes([third, second, first]) == [2, 2, None]


def test_of_two_that_explain_each_other_the_first_stands():
    one, other = made("a", {"b"}), made("b", {"a"})
    assert causes([one, other]) == [None, 0]
    assert causes([other, one]) == [None, 0]
    assert causes([made("a", {"a"}), made("a", {"a"}), made("a", {"a"})]) == [None, 0, 0]


def test_rings_have_a_root():
    ring = [made("a", {"b"}), made("b", {"c"}), made("c", {"a"})]
    assert causes(ring).count(None) == 1
    assert causes(ring)[0] is None


def test_no_effect_is_nobodys_consequence():
    assert causes([made("", {""}), made("", {"x"})]) == [None, None]


words = st.sampled_from("abcd")


@given(st.lists(st.builds(made, words, st.frozensets(words), st.frozensets(st.sampled_from(["1", "2", "*"]))), max_size=8))
def test_every_cause_is_a_root_and_there_is_one(findings):
    roots = causes(findings)
    assert not findings or None in roots
    assert all(root is None or (roots[root] is None and root != index) for index, root in enumerate(roots))
