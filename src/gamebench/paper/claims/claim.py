"""What a claim is: a statement, and a test for each of its cases. Missing runs leave it undecided, never decide it.

A test is an object whose fields are its methods and thresholds, and whose formula is printed from them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from string import Formatter
from typing import Any, ClassVar, TypeAlias

from gamebench.choices import AXES
from gamebench.choices import Verdict as Verdict
from gamebench.curve import ALPHA, MAGNET, Curve, with_iterate
from gamebench.games.game import Category
from gamebench.paper.claims.definitions import FACTOR, every, some
from gamebench.paper.evidence import Evidence
from gamebench.paper.methods import GAMES, AnyMethod, Method, known_game, main_measure_of, members
from gamebench.report.tracks import TIE, Track

ALMOST = 0.8
"""The share of its cases in which a claim about almost all of them must be true."""
MISSING = "runs are missing"
NO_ANSWER = "; seeds disagree, curves swing, or too close"
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
    known = AXES.get(value, value) if isinstance(value, str) else value
    name = str(getattr(known, "label", known))
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
        curve = next(iter(self.evidence.curves(self.game, method).values()), Curve())
        columns = sorted(curve.weights, key=lambda name: 0 if name == MAGNET else int(name.removeprefix(ALPHA)))
        if not columns:
            raise MissingRuns
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


# --- claims ----------------------------------------------------------------------------------------------------------
class Quantifier(StrEnum):
    """In how many of its cases a claim must be true."""

    EVERY = "all"
    ALMOST_ALL = "almost all"
    """:data:`ALMOST`."""
    MOST = "most"
    """More than half."""
    SOME = "at least one"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, or one that we add."""

    statement: str
    test: Criterion
    cases: Sequence[Any] = GAMES
    """Games, or whatever the test takes."""
    where: str = ""
    """Its place in the paper."""
    quantifier: Quantifier = Quantifier.EVERY
    needs: str = "summary"
    """The experiment that makes the runs."""
    measure: str = ""
    """f; if empty, each game's own measure."""
    iterate: str = ""
    """The iterate of which f is the measure, if it is not the one that methods report."""
    is_exact: bool = False
    """Whether each mixed game's own measure is exact NashConv, instead of the paper's approximation."""
    exact_twin: bool = True
    """Whether a claim judged by the paper's approximation is made a second time, with exact NashConv."""
    note: str = ""
    """A sentence that explains the formula."""
    remark: str = ""
    """A known reason why the paper may have seen something else."""
    name: str = ""
    """Its name in the ledger."""

    def measure_of(self, game: str) -> str:
        """Return the measure by which a game is judged."""
        approximates = known_game(game).category is Category.MIXED and not self.is_exact
        measure = self.measure or ("NashConv(approximate)" if approximates else main_measure_of(game))
        return with_iterate(measure, self.iterate) if self.iterate else measure

    @property
    def _is_about_mixed(self) -> bool:
        has_mixed = any(known_game(game).category is Category.MIXED for game in self.test.games_of(self.cases))
        return has_mixed and self.test.uses_measure and not self.measure

    @property
    def twin(self) -> Claim | None:
        """The same claim with exact NashConv in the mixed games; ``None`` if that makes no difference."""
        if self.is_exact or not self.exact_twin or not self._is_about_mixed:
            return None
        statement = f"{self.statement} (With exact team deviations.)"
        return replace(self, name=f"{self.name}-exact", statement=statement, is_exact=True)

    @property
    def formula(self) -> str:
        """The test of one case, and what f is."""
        sentences = [f"{self.test.formula}."]
        if self.note:
            sentences.append(self.note)
        if self.test.uses_measure:
            own = dict.fromkeys(main_measure_of(game) for game in self.test.games_of(self.cases))
            how = f" ({'exact' if self.is_exact else 'as the paper approximates it'} in the mixed games)"
            of = f" of the {self.iterate} policy" if self.iterate else ""
            sentences.append(f"f is {self.measure or ' or '.join(own)}{of}{how if self._is_about_mixed else ''}.")
        return " ".join(sentences)

    def decide(self, evidence: Evidence) -> Decision:
        """Test all cases."""
        findings = tuple(self.test.decide(evidence, case, self.measure_of) for case in self.cases)
        return Decision(self, _verdict(self.quantifier, [finding.answer for finding in findings]), findings)


@dataclass(frozen=True)
class Decision:
    """A claim with its verdict and the findings behind it."""

    claim: Claim
    verdict: Verdict
    findings: tuple[Finding, ...]

    @property
    def share(self) -> str:
        """In how many of its cases the claim is true."""
        return f"{sum(finding.answer is True for finding in self.findings)} of {len(self.findings)}"

    @property
    def measured(self) -> str:
        """In one line: in how many cases the claim is true, and the numbers of those in which it is not."""
        if len(self.findings) == 1:
            return f"{self.findings[0].case}: {self.findings[0].measured}"
        text = f"true in {self.share}"
        for answer, words in ((False, "not true in"), (None, "undecided in")):
            findings = [finding for finding in self.findings if finding.answer is answer]
            if findings and len(findings) <= 6:
                text += f"; {words} " + ", ".join(f"{finding.case} ({finding.measured})" for finding in findings)
            elif findings:
                text += f"; {words} " + ", ".join(finding.case for finding in findings)
        return text

    def as_dict(self) -> dict[str, Any]:
        """Return the decision for JSON and for the page."""
        claim, cases = self.claim, ", ".join(finding.case for finding in self.findings)
        return {
            "name": claim.name,
            "statement": claim.statement,
            "where": claim.where,
            "test": f"{claim.formula} Asked of {'' if len(claim.cases) == 1 else f'{claim.quantifier} of '}{cases}.",
            "measured": self.measured,
            "verdict": str(self.verdict),
            "needs": claim.needs,
            "remark": claim.remark,
            "cases": [asdict(finding) for finding in self.findings],
        }


def _verdict(quantifier: Quantifier, answers: Sequence[bool | None]) -> Verdict:
    """Return the verdict; it is undecided only if the answers that are not known could still turn it."""
    true, false, count = answers.count(True), answers.count(False), len(answers)
    needed = {
        Quantifier.EVERY: count,
        Quantifier.ALMOST_ALL: math.ceil(ALMOST * count),
        Quantifier.MOST: count // 2 + 1,
        Quantifier.SOME: 1,
    }[quantifier]
    if true >= needed:
        return Verdict.HOLDS
    return Verdict.FAILS if count - false < needed else Verdict.UNDECIDED
