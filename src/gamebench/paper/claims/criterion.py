"""What a test is: an object whose fields are its methods and thresholds, and whose formula is printed from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, ClassVar, TypeAlias

from gamebench.curve import ALPHA
from gamebench.paper.claims.definitions import FACTOR, every, some
from gamebench.paper.evidence import Evidence
from gamebench.paper.methods import GAMES, AnyMethod, Method, members
from gamebench.report.tracks import TIE, Track

MISSING = "runs are missing"
NO_ANSWER = "; seeds disagree, curves swing, or too close"
UNITS = {"iteration": "iterations", "policies_evaluated": "joint policies evaluated"}
"""What the x axes of tracks count."""
MeasureOf: TypeAlias = Callable[[str], str]
"""From a game to the measure by which it is judged."""
Answer: TypeAlias = tuple[bool | None, str]
"""An answer and the numbers behind it."""


@dataclass(frozen=True)
class Finding:
    """The answer in one case, usually a game."""

    case: str
    answer: bool | None
    """``None`` if runs are missing, seeds disagree, or it is too close to tell."""
    measured: str
    """The numbers behind the answer."""


def finding(case: str, answer: bool | None, measured: str) -> Finding:
    """Return a finding, which says so if there is no answer."""
    return Finding(case, answer, measured if answer is not None else f"{measured}{NO_ANSWER}")


class Criterion(ABC):
    """A test of one case, a frozen dataclass."""

    template: ClassVar[str]
    """The formula with fields in braces. f is the measure along a run, K its last iteration."""
    uses_measure: ClassVar[bool] = True
    """Whether the answer depends on f."""

    @property
    def formula(self) -> str:
        """The template, filled in with thresholds and the labels of methods."""
        return _Words().format(self.template, **vars(self), TIE=TIE, FACTOR=FACTOR)

    @abstractmethod
    def decide(self, evidence: Evidence, case: Any, measure_of: MeasureOf) -> Finding:
        """Test one case."""

    def games_of(self, cases: Sequence[Any]) -> Sequence[str]:
        """Return the games whose runs are read: the test's own, if it has any, or else the cases."""
        return getattr(self, "games", cases)


class _Words(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        return in_words(value, format_spec)


def in_words(value: Any, word: str = "") -> str:
    """Return a field as a formula shows it.

    ``{rivals:or}`` puts "or" instead of "and" before the last of several; ``{share:times}`` omits a share of 1.
    """
    if value == GAMES:
        return "some game"
    if isinstance(value, tuple):
        names = [in_words(item) for item in value]
        return f" {word or 'and'} ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    if isinstance(value, float):
        number = f"{value:g}".replace("e-0", "e-")
        return number if not word else "" if value == 1 else f"{number} {word} "
    name = UNITS.get(value, value) if isinstance(value, str) else str(getattr(value, "label", value))
    return f"({name})" if ", " in name else name


# --- the runs of a case ----------------------------------------------------------------------------------------------
class MissingRuns(Exception):  # noqa: N818  # it is caught, and makes a finding
    """Raised where a test cannot be decided because runs are missing."""


@dataclass(frozen=True)
class GameRuns:
    """The runs in one game. Raises :class:`MissingRuns` unless all runs of a method are there."""

    evidence: Evidence
    game: str
    measure: str

    def track(self, method: AnyMethod) -> Track:
        """Return the measure along the runs of a method."""
        [track] = self.tracks((method,))
        return track

    def tracks(self, methods: Sequence[AnyMethod], axis: str = "iteration") -> list[Track]:
        """Return the measure along the runs of several methods; of a tuned method, of each of its members."""
        chosen = [member for method in methods for member in members(method, self.game)]
        return [self._column(method, self.measure).along(axis) for method in chosen]

    def weights(self, method: Method) -> list[Track]:
        """Return each weight along the runs of a method: the magnet's, the latest policy's, and so on."""
        curve = next(iter(self.evidence.curves(self.game, method).values()), ())
        indices = {column: column.removeprefix(ALPHA) for column in curve if column.startswith(ALPHA)}
        if not indices:
            raise MissingRuns
        columns = sorted(indices, key=lambda column: int(indices[column]) if indices[column].isdigit() else 0)
        return [self._column(method, column) for column in columns]

    def _column(self, method: Method, column: str) -> Track:
        is_complete = self.evidence.is_complete(self.game, method)
        track = self.evidence.track(self.game, method, column) if is_complete else None
        if track is None:
            raise MissingRuns
        return track


class InOneGame(Criterion):
    """A test of the runs in one game."""

    def decide(self, evidence: Evidence, case: str, measure_of: MeasureOf) -> Finding:
        """Test one game."""
        try:
            return finding(case, *self._judge(GameRuns(evidence, case, measure_of(case))))
        except MissingRuns:
            return Finding(case, None, MISSING)

    @abstractmethod
    def _judge(self, runs: GameRuns) -> Answer: ...


# --- tests made of tests ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class All(Criterion):
    """All of several tests are true."""

    tests: tuple[Criterion, ...]
    _word: ClassVar[str] = "and"
    _join: ClassVar[staticmethod[[Sequence[bool | None]], bool | None]] = staticmethod(every)

    @property
    def formula(self) -> str:
        """The formulas of all tests."""
        return f", {self._word} ".join(test.formula for test in self.tests)

    def decide(self, evidence: Evidence, case: Any, measure_of: MeasureOf) -> Finding:
        """Test one case."""
        results = [test.decide(evidence, case, measure_of) for test in self.tests]
        texts = dict.fromkeys(result.measured for result in results)
        return Finding(results[0].case, self._join([result.answer for result in results]), "; ".join(texts))


class AnyOf(All):
    """At least one of several tests is true."""

    _word, _join = "or", staticmethod(some)


@dataclass(frozen=True)
class InGame(Criterion):
    """One test in one game, another in all others."""

    game: str
    test: Criterion
    elsewhere: Criterion

    @property
    def formula(self) -> str:
        """The formulas of both tests."""
        return f"{self.test.formula} in {self.game}, {self.elsewhere.formula} elsewhere"

    def decide(self, evidence: Evidence, case: str, measure_of: MeasureOf) -> Finding:
        """Test one game."""
        return (self.test if case == self.game else self.elsewhere).decide(evidence, case, measure_of)
