"""Finds the token that ends texts, where it is also what pads them, and counts how often a loss asks for it."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensan.adapters.torch.variables import variables

#: What the end token is called, as an attribute, and as an entry of a vocabulary.
_ATTRIBUTES = "eos_token_id", "eos_id", "eos", "EOS"
_ENTRIES = "<eos>", "</s>", "[EOS]", "<|endoftext|>", "<end>", "EOS", "eos"
#: Rows that must go on after their answer, and different lengths of answers among them: where all are of one length nothing needs an end.
_LEAST_ROWS = 4
_LEAST_LENGTHS = 2


class End(NamedTuple):
    """What the program calls its end token, its id, how often one ends a text, and how often the loss asks for it."""

    name: str = ""
    token: int | None = None
    ends: int = 0
    asked: int = 0


def end_of(ids: Any, wanted: Any, supervised: Any) -> End:
    """Returns the end token, where padding has its id and the loss passes over all padding.

    Args:
        ids: what the model was given, row by row.
        wanted: the targets of these rows, each of them the token one place further on.
        supervised: which of them the loss does not pass over.
    """
    ids = _whole(ids, wanted, supervised)
    common = min(wanted.shape[1], ids.shape[1] - 1)
    following, before = ids[:, 1 : common + 1], ids[:, :common]
    passed_over = following[~supervised[:, :common]].unique()
    token = int(passed_over[0]) if len(passed_over) == 1 else _after_answers(following, supervised[:, :common])
    name = _name_of(token) if token is not None else ""
    if not name:
        return End()
    ends = (following == token) & (before != token)
    return End(name, token, int(ends.sum()), int(((wanted == token) & supervised).sum()))


def _whole(ids: Any, wanted: Any, supervised: Any) -> Any:
    """Returns the rows with their last token, where the model was given all but that one: `ids[:, :-1]`."""
    rows, length = ids.shape
    room = ids.untyped_storage().nbytes() // ids.element_size() - ids.storage_offset()
    if wanted.shape[1] != length or ids.stride() != (length + 1, 1) or room < rows * (length + 1):
        return ids
    whole = ids.detach().as_strided((rows, length + 1), (length + 1, 1))
    return whole if bool(((whole[:, 1:] == wanted) | ~supervised).all()) else ids


def _after_answers(following: Any, supervised: Any) -> int | None:
    """Returns the one token that every row goes on with to its end, once its answer is over, and that no answer holds.

    An answer is one stretch of supervised targets; what stands before it, the prompt, is passed over too. The longest row of a batch has
    no padding, so that what all rows go on with is more than that.
    """
    length = following.shape[1]
    first = supervised.long().argmax(1)
    sizes = supervised.sum(1)
    after = first + sizes
    places = _places(following)
    stretches = ((places >= first[:, None]) & (places < after[:, None])) == supervised
    if len(following) < _LEAST_ROWS or not bool((sizes > 0).all()) or not bool(stretches.all()) or not bool((after < length).all()):
        return None
    tail = following[places >= after[:, None]]
    token = int(tail[0])
    alone = bool((tail == token).all()) and not bool((following[supervised] == token).any())
    return token if alone and len(sizes.unique()) >= _LEAST_LENGTHS else None


def _places(table: Any) -> Any:
    """Returns the number of each element's column."""
    return table.new_ones(table.shape).cumsum(1) - 1


def _name_of(token: int) -> str:
    for name, value, _ in variables(5):
        if type(value) is int and value == token and "eos" in name.lower():
            return name
        if type(value) is dict:
            entry = next((entry for entry in _ENTRIES if _is(value.get(entry), token)), "")
            if entry:
                return f"{name}[{entry!r}]"
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict) and not isinstance(value, type) and len(held) < 200:
            for inner in _ATTRIBUTES:
                if _is(held.get(inner), token):
                    return f"{name}.{inner}"
    return ""


def _is(value: Any, token: int) -> bool:
    return type(value) is int and value == token
