"""Building blocks of checks: questions, helpers that raise, and small games with known solutions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from gamebench.analysis.measures import Solution
from gamebench.core.errors import FAILURES, GameBenchError, sentence
from gamebench.games.game import Game
from gamebench.games.loading.load import load_game
from gamebench.games.transforms import with_teams
from gamebench.policies import Policy


class ConformanceError(GameBenchError, AssertionError):
    """An algorithm, a game or another registered object does not behave as all objects of its kind must."""


@dataclass(frozen=True)
class ConformanceCheck:
    """One question to one registered object; calling it raises :class:`ConformanceError` if the check fails."""

    kind: str
    """Kind of the object, such as ``"measure"``."""
    subject: str
    """Name of the object."""
    title: str
    """What is checked."""
    run: Callable[[], None]

    def __call__(self) -> None:
        """Raise :class:`ConformanceError` if the check fails."""
        try:
            self.run()
        except ConformanceError as error:
            raise ConformanceError(f"The {self.kind} {self.subject!r}: {error}") from error
        except FAILURES as error:  # users' code may raise anything
            raised = f"The {self.kind} {self.subject!r} raised an unexpected error: {sentence(error)}"
            raise ConformanceError(raised) from error

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.title}"


def require(condition: Any, message: str) -> None:
    """Raise :class:`ConformanceError` with ``message`` unless the condition holds."""
    if not condition:
        raise ConformanceError(message)


@contextmanager
def refused(what: str) -> Iterator[None]:
    """Require that the block raises a :class:`~gamebench.errors.GameBenchError`; ``what`` is its input."""
    try:
        yield
    except GameBenchError:
        return
    except FAILURES as error:
        message = f"{what} must be refused with a GameBenchError, not with {type(error).__name__}."
        raise ConformanceError(message) from error
    raise ConformanceError(f"{what} must be refused, but is accepted.")


Question: TypeAlias = Callable[[Any], None]
QUESTIONS: dict[str, list[tuple[str, Question, Callable[[Any], bool]]]] = defaultdict(list)
"""Questions to each kind of object: title, function, and a condition that selects the objects to ask."""


def question(kind: str, when: Callable[[Any], bool] = lambda _: True) -> Callable[[Question], Question]:
    """Put the decorated question to every object of ``kind``; its title is the first line of its docstring."""

    def add(function: Question) -> Question:
        QUESTIONS[kind].append((str(function.__doc__).splitlines()[0].rstrip("."), function, when))
        return function

    return add


@dataclass(frozen=True, eq=False)
class KnownPolicy:
    """A policy that is known to solve its game, or known not to."""

    game: Game
    policy: Policy
    solves: tuple[Solution, ...]
    """An equilibrium, an optimum, both, or nothing."""

    def __str__(self) -> str:
        words = " and ".join(f"an {solution}" for solution in self.solves) or "no solution"
        return f"{words} of {self.game.name}"


@cache
def sample_games() -> tuple[Game, ...]:
    """Return small games of every category, among them one with chance, hidden information and several moves.

    The last is a game between coordinators, whose decision points may follow several sequences.

    Examples:
        >>> from gamebench.testing import sample_games
        >>> [str(game.category) for game in sample_games()][:3]
        ['single-agent', 'cooperative', 'zero-sum']
    """
    matching = np.zeros((2, 2, 2, 3))  # if all three play the same, each of the first two gets 1 from the third
    matching[0, 0, 0] = matching[1, 1, 1] = 1, 1, -2
    return (
        Game.from_payoffs([[0.0], [1.0], [0.5]], "one player"),
        Game.from_payoffs([[[1, 1], [0, 0]], [[0, 0], [2, 2]]], "coordination"),
        Game.from_payoffs([[[2, -2], [-1, 1]], [[-1, 1], [1, -1]]], "uneven pennies"),
        Game.from_payoffs([[[3, 3], [0, 5]], [[5, 0], [1, 1]]], "prisoners' dilemma"),
        Game.from_payoffs([[[2, 1], [0, 0]], [[0, 0], [1, 2]]], "battle of the sexes"),
        with_teams(Game.from_payoffs(matching, "two against one"), [[0, 1], [2]]),
        load_game("kuhn_poker"),
        load_game("MCCKuhn-B", coordinated=True),
    )


@cache
def known_policies() -> tuple[KnownPolicy, ...]:
    """Return equilibria and optima of the sample games that can be found by hand, and policies that are neither."""
    single, coordination, pennies, dilemma, sexes, team, kuhn, _ = sample_games()
    equilibrium, both = (Solution.EQUILIBRIUM,), (Solution.EQUILIBRIUM, Solution.OPTIMUM)
    rows: tuple[tuple[Game, list[float], tuple[Solution, ...]], ...] = (
        (single, [0, 1, 0], both),
        (single, [0.5, 0.5, 0], ()),
        (coordination, [0, 1, 0, 1], both),
        (coordination, [1, 0, 1, 0], equilibrium),
        (coordination, [2 / 3, 1 / 3, 2 / 3, 1 / 3], equilibrium),
        (coordination, [1, 0, 0, 1], ()),
        (pennies, [0.4, 0.6, 0.4, 0.6], equilibrium),
        (pennies, [0.5, 0.5, 0.5, 0.5], ()),
        (dilemma, [0, 1, 0, 1], equilibrium),
        (dilemma, [1, 0, 1, 0], ()),
        (sexes, [1, 0, 1, 0], equilibrium),
        (sexes, [2 / 3, 1 / 3, 1 / 3, 2 / 3], equilibrium),
        (sexes, [0.5, 0.5, 0.5, 0.5], ()),
        (team, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], ()),
        (kuhn, _kuhn_equilibrium(kuhn), equilibrium),
    )
    return tuple(KnownPolicy(game, Policy(game, np.array(policy)), solves) for game, policy, solves in rows)


def _kuhn_equilibrium(game: Game, bluff: float = 0.2) -> list[float]:
    """Return an equilibrium of Kuhn (1950): the first player bluffs with a probability from 0 to 1/3.

    ``bets`` has the probability of betting or calling by card (0 is the lowest) and history.
    """
    bets = {
        "0": bluff, "1": 0.0, "2": 3 * bluff,  # first to act
        "0pb": 0.0, "1pb": bluff + 1 / 3, "2pb": 1.0,  # after a check and a bet
        "0p": 1 / 3, "1p": 0.0, "2p": 1.0,  # second, after a check
        "0b": 0.0, "1b": 1 / 3, "2b": 1.0,  # second, after a bet
    }  # fmt: skip
    probabilities = [bets[point.information_state] for point in game.decision_points]
    return [part for bet in probabilities for part in (1.0 - bet, bet)]
