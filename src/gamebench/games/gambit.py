"""Gambit's normal-form files (``.nfg``), in both of their formats: a list of payoffs, or outcomes by name.

https://gambitproject.readthedocs.io/en/latest/formats.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from gamebench.errors import GameFileError
from gamebench.games.game import Game
from gamebench.games.normal_form import game_from_payoffs

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{},"]+)|,')


def read_nfg(text: str, name: str) -> Game:
    """The game that a ``.nfg`` file describes."""
    try:
        return _parse(_tokens(text), name)
    except (ValueError, IndexError, StopIteration, ZeroDivisionError) as error:
        reason = str(error) or "it ends too early"
        raise GameFileError(f"{name!r} is not a readable .nfg file: {reason}.") from error


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Words of the file, and whether each was quoted."""
    for match in _TOKEN.finditer(text):
        if match[1] is not None:
            yield match[1], True
        elif match[2] or match[3]:
            yield match[2] or match[3], False


def _expect(tokens: Iterator[tuple[str, bool]], *wanted: str) -> None:
    word, quoted = next(tokens)
    if quoted or word not in wanted:
        raise ValueError(f"found {word!r} where {' or '.join(map(repr, wanted))} belongs")


def _group(tokens: Iterator[tuple[str, bool]]) -> list[str | list[str]]:
    """The words up to the closing brace, inner groups as lists."""
    found: list[str | list[str]] = []
    while True:
        word, quoted = next(tokens)
        if word == "}" and not quoted:
            return found
        found.append([str(inner) for inner in _group(tokens)] if word == "{" and not quoted else word)


def _number(word: str) -> float:
    return float(Fraction(word))


def _parse(tokens: Iterator[tuple[str, bool]], name: str) -> Game:
    _expect(tokens, "NFG")
    _expect(tokens, "1")
    _expect(tokens, "R", "D")
    next(tokens)  # the title
    _expect(tokens, "{")
    players = len(_group(tokens))
    _expect(tokens, "{")
    strategies = _group(tokens)
    if len(strategies) != players or not players:
        raise ValueError(f"it names {players} players but gives strategies for {len(strategies)}")
    names = [own if isinstance(own, list) else [str(number + 1) for number in range(int(own))] for own in strategies]
    counts = [len(own) for own in names]
    rest = list(tokens)
    if rest and rest[0][1]:  # a comment
        rest = rest[1:]
    if rest and rest[0][0] == "{":
        rows = _outcomes(iter(rest), players)
    else:
        numbers = [_number(word) for word, _ in rest]
        if len(numbers) % players:
            raise ValueError(f"{len(numbers)} payoffs cannot be shared by {players} players")
        rows = np.array(numbers).reshape(-1, players)
    if len(rows) != int(np.prod(counts)):
        raise ValueError(f"it has payoffs for {len(rows)} of {int(np.prod(counts))} strategy profiles")
    # Gambit lists profiles with the first player's strategy changing fastest.
    last_fastest = rows.reshape(*reversed(counts), players)
    return game_from_payoffs(last_fastest.transpose(*reversed(range(players)), players), name, names)


def _outcomes(tokens: Iterator[tuple[str, bool]], players: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """``(profiles, players)`` payoffs from a list of outcomes and one outcome number per profile; 0 is no payoff."""
    _expect(tokens, "{")
    outcomes = [[0.0] * players]
    for outcome in _group(tokens):
        payoffs = [_number(word) for word in outcome[1:]]  # the first word is the outcome's name
        if len(payoffs) != players:
            raise ValueError(f"an outcome has {len(payoffs)} payoffs for {players} players")
        outcomes.append(payoffs)
    numbers = [int(word) for word, _ in tokens]
    if any(not 0 <= number < len(outcomes) for number in numbers):
        raise ValueError("a strategy profile names an outcome that is not there")
    return np.array([outcomes[number] for number in numbers]).reshape(-1, players)
