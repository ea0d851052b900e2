"""Write games as Gambit files: ``.efg`` for every game with a tree, ``.nfg`` for games in normal form.

Gambit computes with rational numbers and requires probabilities that sum to exactly 1. A float is written as a
fraction that rounds to it if one has a denominator of at most ``LARGEST_DENOMINATOR``, otherwise as a decimal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from gamebench.core.errors import GameError, GameTooLargeError
from gamebench.games.formats.gambit import distinct_names
from gamebench.games.game import DecisionPoint, Game
from gamebench.games.histories import CHANCE, walk_histories
from gamebench.games.loading.walk import LOOK_EVERY, Progress
from gamebench.games.names import information_set

LARGEST_DENOMINATOR = 1_000_000
"""Largest denominator tried. About one float in 20,000 equals such a fraction only by coincidence. That is harmless,
because the fraction reads back as the same float."""
LARGEST_EXCESS = 1e-9
"""Largest deviation of a chance event's total probability from 1 that counts as rounding."""
COMMENT = "Written by GameBench"
"""Comment written for games that have none."""


@lru_cache(maxsize=65_536)
def rational(number: float) -> Fraction:
    """Return a fraction of small numbers that rounds to this float, or the value of its shortest decimal."""
    guess = Fraction(number).limit_denominator(LARGEST_DENOMINATOR)
    return guess if guess.numerator / guess.denominator == number else Fraction(repr(number))


@lru_cache(maxsize=65_536)
def probabilities(chances: tuple[float, ...]) -> list[Fraction]:
    """Return probabilities as fractions that sum to exactly 1; the largest one absorbs the rounding error."""
    exact = [rational(chance) for chance in chances]
    missing = 1 - sum(exact, start=Fraction(0))
    if abs(missing) > LARGEST_EXCESS:
        raise GameError(f"The probabilities of a chance event sum to {float(1 - missing):.12g}, not to 1.")
    exact[exact.index(max(exact))] += missing
    return exact


@lru_cache(maxsize=65_536)
def in_digits(value: Fraction) -> str:
    """Return a fraction in Gambit's notation: ``1/3``, or an equal decimal if that is shorter, such as ``0.1``."""
    ratio = str(value)
    decimal = format(Decimal(repr(float(value))), "f").removesuffix(".0")
    return decimal if len(decimal) < len(ratio) and Fraction(decimal) == value else ratio


@lru_cache(maxsize=65_536)
def _payoff(number: float) -> str:
    return in_digits(rational(number))


def label(text: str) -> str:
    """Return a name that Gambit accepts: without control characters or repeated spaces."""
    kept = (" " if unicodedata.category(letter) in ("Cc", "Cs") else letter for letter in text)
    return " ".join("".join(kept).split())


def quoted(name: str) -> str:
    """Return a name in double quotes, with its own quotes escaped.

    A backslash before a quote or at the end becomes a slash, because it would escape the quote.
    """
    return '"' + re.sub(r'\\(?="|$)', "/", name).replace('"', '\\"') + '"'


@lru_cache(maxsize=65_536)
def _names(texts: tuple[str, ...]) -> list[str]:
    """Return distinct names in double quotes."""
    return [quoted(name) for name in distinct_names(map(label, texts))]


def _header(kind: str, game: Game) -> str:
    players = _names(tuple(game.player_name(player) for player in range(game.num_players)))
    return f"{kind} R {quoted(label(game.source.title) or label(game.name))} {{ {' '.join(players)} }}"


def _comment(game: Game) -> str:
    return quoted(label(game.source.comment) or COMMENT)


def _check_size(game: Game, max_histories: int) -> None:
    if game.num_histories > max_histories:
        raise GameTooLargeError(
            f"{game.name!r} has {game.num_histories:,} histories, more than the {max_histories:,} allowed in a file; "
            f"raise the limit with max_histories= (--max-histories)."
        )


def nfg_text(game: Game, max_histories: int) -> str:
    """Return the ``.nfg`` file of a game in which every player decides once; chance is averaged over."""
    _check_size(game, max_histories)
    form = game.sequence_form
    if np.diff(form.player_blocks).tolist() != [1] * game.num_players:
        raise GameError(f"{game.name!r} is not in normal form, which a .nfg file needs; write it to an .efg file.")
    table = np.full((*np.diff(form.first_sequences), game.num_players), Fraction(0), dtype=object)
    # For each history on the stack: its chance probability and, for each player, the index of its action, or a slice of
    # all its actions if it has not moved yet.
    pending: list[tuple[Fraction, tuple[int | slice, ...]]] = [(Fraction(1), (slice(None),) * game.num_players)]
    for history in walk_histories(game):
        reach, plan = pending.pop()
        if history.point is not None:
            before, after = plan[: history.player], plan[history.player + 1 :]
            pending += [(reach, (*before, action, *after)) for action in reversed(range(len(history.actions)))]
        elif history.player == CHANCE:
            pending += [(reach * chance, plan) for chance in reversed(probabilities(history.chances))]
        else:
            table[plan] += [reach * rational(payoff) for payoff in history.payoffs]
    strategies = [f"{{ {' '.join(_names(point.actions))} }}" for point in game.decision_points]
    profiles = table.transpose(*reversed(range(game.num_players)), game.num_players).reshape(-1, game.num_players)
    rows = [" ".join(map(in_digits, row)) for row in profiles.tolist()]
    return "\n".join([_header("NFG 1", game), f"{{ {' '.join(strategies)} }}", _comment(game), "", *rows]) + "\n"


def efg_text(game: Game, max_histories: int, progress: Progress) -> str:
    """Return the ``.efg`` file of a game, with a line for each history; calls ``progress`` from time to time."""
    _check_size(game, max_histories)
    lines = [_header("EFG 2", game), _comment(game), ""]
    infosets = _infosets(game)
    events = terminals = 0  # Gambit numbers them from 1
    for number, history in enumerate(walk_histories(game), start=1):
        if history.point is not None:
            lines.append(infosets[history.point.index])
        elif history.player == CHANCE:
            events += 1
            pairs = zip(_names(history.actions), probabilities(history.chances), strict=True)
            outcomes = " ".join(f"{name} {in_digits(chance)}" for name, chance in pairs)
            lines.append(f'c "" {events} "" {{ {outcomes} }} 0')
        else:
            terminals += 1
            lines.append(f't "" {terminals} "" {{ {", ".join(map(_payoff, history.payoffs))} }}')
        if number % LOOK_EVERY == 0:
            progress(number, game.num_histories)
    return "\n".join(lines) + "\n"


def _infosets(game: Game) -> list[str]:
    """Return the line of each decision point."""
    lines, blocks = [], game.sequence_form.player_blocks.tolist()
    for player in range(game.num_players):
        own = game.decision_points[blocks[player] : blocks[player + 1]]
        for point, (number, name) in zip(own, _numbered(game, own), strict=True):
            lines.append(f'p "" {player + 1} {number} {name} {{ {" ".join(_names(point.actions))} }} 0')
    return lines


def _numbered(game: Game, own: Sequence[DecisionPoint]) -> list[tuple[int, str]]:
    """Return the numbers and names of a player's information sets; those from a file keep their own."""
    of_file = [known for point in own if (known := information_set(game, point)) is not None]
    if len(of_file) < len(own):
        return list(enumerate(_names(tuple(point.information_state for point in own)), start=1))
    return [(number, quoted(label(name))) for number, name in of_file]
