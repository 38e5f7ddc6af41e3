"""Takes a replay token from the user, or refuses it with what is not as it was."""

from __future__ import annotations

from tensan.core.errors import UsageError
from tensan.core.replay_token import Token, differences, parse
from tensan.determinism import environment


def token_of(text: str, *, where: str) -> Token:
    """Reads a token.

    Args:
        text: as a report shows it.
        where: where it was given, for the error.

    Raises:
        UsageError: when it is none, or its run would be another one here.
    """
    try:
        token = parse(text)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error
    here = environment.versions_here(set(token.versions))
    other = list(differences(token, versions=here, hash=environment.hash_seed()))
    if other:
        raise UsageError(
            f"{where}: the token's run cannot be had again here: {'; '.join(other)}; give the seed itself ({token.seed}) instead"
        )
    return token
