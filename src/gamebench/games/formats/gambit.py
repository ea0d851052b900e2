"""Gambit's file formats: ``.nfg`` (a list of payoffs, or outcomes by number) and ``.efg``.

https://gambitproject.readthedocs.io/en/latest/formats.html

OpenSpiel also reads ``.efg`` files, but only without abbreviations, and it does not check them. A file is therefore
checked and rewritten in a canonical form for OpenSpiel, whose game provides information states and takes policies.
"""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np

from gamebench.core.errors import GameError, GameFileError
from gamebench.core.settings import whole
from gamebench.games.game import Game, Source
from gamebench.games.loading.budget import budget_of

T = TypeVar("T")

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{},"]+)|([\s,]+)|(.)', re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_RATIO = re.compile(r"([-+]?[0-9]+)/([0-9]+)")
DEEPEST = 4_000
"""Largest depth of a tree. OpenSpiel's reader is recursive, and its stack overflows at 14,000."""


def _value(text: str) -> float:
    """Return the number in Gambit's notation, rounded once; raise ``ValueError`` unless a float can hold it.

    ``Fraction`` reads the same notation, but would expand ``1e9999999`` to ten million digits.
    """
    if ratio := _RATIO.fullmatch(text):
        value = int(ratio[1]) / int(ratio[2])
    elif _NUMBER.fullmatch(text):
        value = float(text)
    else:
        raise ValueError
    is_zero = not re.search("[1-9]", re.split("[/eE]", text)[0])
    if not math.isfinite(value) or (value == 0) != is_zero:
        raise ValueError
    return value


class _Word(NamedTuple):
    text: str
    is_quoted: bool
    line: int

    def __str__(self) -> str:
        brief = " ".join(self.text.split())[:40]
        return f'"{brief}"' if self.is_quoted else brief


class _Reader:
    """Words of a file in order; raises a ``ValueError`` that names the line of an unexpected word."""

    def __init__(self, text: str) -> None:
        self.words: list[_Word] = []
        self.next = 0
        line = 1
        for match in _TOKEN.finditer(text):
            if match[5]:
                raise ValueError(f"line {line} has an unmatched quotation mark")
            if not match[4]:
                is_quoted = match[1] is not None  # a backslash within is literal, unless a quotation mark follows
                self.words.append(_Word(match[1].replace('\\"', '"') if is_quoted else match[0], is_quoted, line))
            line += match[0].count("\n")

    @property
    def at_end(self) -> bool:
        return self.next >= len(self.words)

    def take(self, what: str) -> _Word:
        """Return the next word, which should be ``what``."""
        if self.at_end:
            raise ValueError(f"it ends where {what} is expected")
        self.next += 1
        return self.words[self.next - 1]

    def sees(self, text: str) -> bool:
        return not self.at_end and not self.words[self.next].is_quoted and self.words[self.next].text == text

    def expect(self, *texts: str) -> str:
        word = self.take(" or ".join(texts))
        if word.is_quoted or word.text not in texts:
            raise ValueError(f"line {word.line} has {word} where {' or '.join(texts)} is expected")
        return word.text

    def quoted(self, what: str) -> str:
        word = self.take(what)
        if not word.is_quoted:
            raise ValueError(f"line {word.line} has {word} where {what} is expected, in quotation marks")
        return word.text

    def optional_quoted(self) -> str:
        return self.quoted("a name") if not self.at_end and self.words[self.next].is_quoted else ""

    def number(self, what: str) -> float:
        word = self.take(what)
        try:
            return _value("" if word.is_quoted else word.text)
        except (ValueError, ArithmeticError) as error:
            limits = "which must be 0 or a number of magnitude 1e-323 to 1e+308"
            raise ValueError(f"line {word.line} has {word} where {what} is expected, {limits}") from error

    def whole(self, what: str, least: int, most: int = 2**31) -> int:
        word = self.take(what)
        if word.is_quoted or not re.fullmatch("[0-9]{1,12}", word.text) or not least <= int(word.text) <= most:
            raise ValueError(f"line {word.line} has {word} where {what} is expected, {whole(least, most).range}")
        return int(word.text)

    def braced(self, read: Callable[[], T]) -> list[T]:
        """Call ``read`` for each item between matching braces, and return the items."""
        self.expect("{")
        items = []
        while not self.sees("}"):
            items.append(read())
        self.expect("}")
        return items

    def names(self, what: str) -> list[str]:
        return self.braced(lambda: self.quoted(what))

    def payoffs(self, players: int, *, named: bool = False) -> list[float]:
        """Return one payoff per player, in braces; if ``named``, a name may precede them."""
        self.expect("{")
        if named:
            self.optional_quoted()
        payoffs = [self.number("a payoff") for _ in range(players)]
        self.expect("}")
        return payoffs

    def header(self, kind: str, version: str) -> tuple[str, list[str]]:
        """Return the title of a file of this kind and the names of its players."""
        self.expect(kind)
        self.expect(version)
        self.expect("R", "D")
        title, players = self.quoted("the title"), self.names("a player's name")
        if not players:
            raise ValueError("it names no players")
        return title, players


@contextmanager
def _reading(text: str, name: str, kind: str) -> Iterator[_Reader]:
    try:
        yield _Reader(text)
    except GameError:
        raise
    except ValueError as error:
        raise GameFileError(f"{name!r} is not a readable {kind} file: {error}.") from error


def read_nfg(text: str, name: str, max_histories: int | None) -> Game:
    """Return the game that a ``.nfg`` file describes."""
    with _reading(text, name, ".nfg") as reader:
        title, player_names = reader.header("NFG", "1")
        players = len(player_names)
        reader.expect("{")
        strategies: list[list[str] | int] = [
            reader.names("a strategy's name") if reader.sees("{") else reader.whole("a number of strategies", least=1)
            for _ in range(players)
        ]
        reader.expect("}")
        comment = reader.optional_quoted()
        counts = [own if isinstance(own, int) else len(own) for own in strategies]
        if 0 in counts:
            raise ValueError("a player has no strategies")
        histories = sum(accumulate(map(float, counts), operator.mul, initial=1.0))
        budget = budget_of(name, players, max_histories)
        if histories > budget.histories:
            raise budget.refusal(histories)
        profiles = math.prod(counts)
        if reader.sees("{"):
            outcomes = [[0.0] * players, *reader.braced(lambda: reader.payoffs(players, named=True))]
            rows = [outcomes[reader.whole("an outcome", 0, len(outcomes) - 1)] for _ in range(profiles)]
        else:
            rows = [[reader.number("a payoff") for _ in range(players)] for _ in range(profiles)]
        if not reader.at_end:
            raise ValueError(f"it continues after the payoffs of its {profiles} strategy profiles")
        names = [
            distinct_names(own) if isinstance(own, list) else [str(k + 1) for k in range(own)] for own in strategies
        ]
        # Gambit lists profiles with the first player's strategy changing fastest.
        last_fastest = np.array(rows).reshape(*reversed(counts), players)
        table = last_fastest.transpose(*reversed(range(players)), players)
        game = Game.from_payoffs(table, name, names, player_names)
        return replace(game, source=replace(game.source, title=title, comment=comment))


def distinct_names(names: Iterable[str]) -> list[str]:
    """Return the names, with numbers appended to empty and repeated ones."""
    given = list(names)
    unique = {name for name, times in Counter(given).items() if name and times == 1}
    labels = []
    for number, name in enumerate(given, start=1):
        label = name if name in unique else f"{name} ({number})".strip()
        while label in unique and label != name:  # an action may be called "A (2)"
            label = f"{label} ({number})"
        labels.append(label)
    return labels


def names_in_file(names: Iterable[str]) -> list[str]:
    """Return the names of an information set's actions in the canonical form of a file."""
    return [_quote(name)[1:-1] for name in distinct_names(names)]


class _Infoset(NamedTuple):
    name: str
    actions: list[str]
    """As written: names in quotation marks, followed by probabilities if chance moves."""


def canonical_efg(text: str, name: str) -> tuple[Source, tuple[str, ...]]:
    """Return an equivalent file without abbreviations, with all payoffs at the terminals, and the players' names."""
    with _reading(text, name, ".efg") as reader:
        title, players = reader.header("EFG", "2")
        comment = reader.optional_quoted()
        infosets: dict[tuple[int, int], _Infoset] = {}
        outcomes: dict[int, list[float]] = {0: [0.0] * len(players)}
        nodes: list[tuple[int, int] | list[float]] = []  # information sets of moves, payoffs of terminals
        pending = [(outcomes[0], 0)]  # for each node still to come: payoffs on the path to it, and its depth
        while pending:
            kind = reader.expect("c", "p", "t")
            reader.optional_quoted()  # the node's name
            paid, depth = pending.pop()
            if kind != "t":
                if depth == DEEPEST:
                    raise ValueError(f"some of its terminals are more than {DEEPEST:,} moves from the root")
                player = reader.whole("a player", 1, len(players)) if kind == "p" else 0
                number = reader.whole("an information set", 0)
                infoset = _infoset(reader, infosets, player, number)
            outcome = reader.whole("an outcome", 0)
            reader.optional_quoted()
            if reader.sees("{"):
                outcomes[outcome] = reader.payoffs(len(players))
            if outcome not in outcomes:
                raise ValueError(f"outcome {outcome} is used before its payoffs are listed")
            total = [before + now for before, now in zip(paid, outcomes[outcome], strict=True)]
            if kind == "t":
                nodes.append(total)
            else:
                nodes.append((player, number))
                pending += [(total, depth + 1)] * len(infoset.actions)
        if not reader.at_end:
            raise ValueError(f"line {reader.words[reader.next].line} continues after the last node of the tree")
        header = f"EFG 2 R {_quote(title)} {{ {' '.join(map(_quote, players))} }}"
        canonical = "\n".join([header, *_lines(nodes, infosets)]) + "\n"
        return Source("efg", canonical, title=title, comment=comment), tuple(players)


def _lines(nodes: Iterable[tuple[int, int] | list[float]], infosets: dict[tuple[int, int], _Infoset]) -> Iterator[str]:
    """Yield the lines of the nodes. OpenSpiel requires information sets to be numbered 1, 2, ... without gaps."""
    lines, counts = dict[tuple[int, int], str](), Counter[int]()
    for (player, number), infoset in sorted(infosets.items()):
        counts[player] += 1
        owner = f'p "" {player}' if player else 'c ""'
        lines[player, number] = f"{owner} {counts[player]} {_quote(infoset.name)} {{ {' '.join(infoset.actions)} }} 0"
    terminals = 0
    for node in nodes:
        if isinstance(node, tuple):
            yield lines[node]
        else:
            terminals += 1
            yield f't "" {terminals} "" {{ {" ".join(map(repr, node))} }}'


def _infoset(reader: _Reader, known: dict[tuple[int, int], _Infoset], player: int, number: int) -> _Infoset:
    """Return the information set of a node, described here or by an earlier node; two descriptions must agree."""
    name = reader.optional_quoted()
    before = known.get((player, number))
    if not reader.sees("{"):
        if before is None:
            raise ValueError(f"information set {number} of player {player} is used before its actions are listed")
        return before
    line = reader.words[reader.next].line
    moves = reader.braced(
        lambda: (reader.quoted("an action's name"), 1.0 if player else reader.number("a probability"))
    )
    if not moves:
        raise ValueError(f"line {line} lists no actions")
    actions = [f'"{action}"' for action in names_in_file(action for action, _ in moves)]
    if player == 0:
        probabilities = [probability for _, probability in moves]
        total = math.fsum(probabilities)
        if min(probabilities) < 0 or abs(total - 1) > 1e-3:
            raise ValueError(f"line {line} has probabilities that are negative or do not sum to 1, {probabilities}")
        actions = [f"{action} {chance / total!r}" for action, chance in zip(actions, probabilities, strict=True)]
    infoset = _Infoset(name, actions)
    if before is not None and infoset.actions != before.actions:
        raise ValueError(f"line {line} lists other actions for information set {number} than an earlier line")
    return known.setdefault((player, number), infoset)


def _quote(name: str) -> str:
    """Return a name in quotation marks that OpenSpiel's reader cannot misread."""
    return '"' + name.replace('"', "'").replace("\n", " ") + '"'
