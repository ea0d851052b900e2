"""A claim: a statement, and a test for each of its cases. Missing runs never make it hold or fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeAlias

from gamebench.core.choices import ALPHA, AXES, MAGNET
from gamebench.core.choices import Verdict as Verdict
from gamebench.evidence.claims.definitions import FACTOR, every, some
from gamebench.evidence.methods import GAMES, AnyMethod, Method, known_game, main_measure_of, members
from gamebench.evidence.runs import Evidence
from gamebench.games.game import Category
from gamebench.report.tracks import TIE, Track
from gamebench.runs.curve import Curve, with_iterate

ALMOST = 0.8
"""Fraction of its cases in which a claim about almost all of them must be true."""
MISSING = "runs are missing"
NO_ANSWER = "; seeds disagree, curves swing, or it is too close to tell"
MeasureOf: TypeAlias = Callable[[str], str]
"""Function that maps a game to the measure by which it is judged."""
Answer: TypeAlias = tuple[bool | None, str]
"""An answer and the numbers behind it."""
P = ParamSpec("P")


@dataclass(frozen=True)
class Finding:
    """The answer in one case, usually a game."""

    case: str
    answer: bool | None
    """``None`` if runs are missing, seeds disagree, or it is too close to tell."""
    measured: str
    """The numbers behind the answer."""


class MissingRuns(Exception):  # noqa: N818  # it is caught, and makes a finding
    """Raised where a test cannot be decided because runs are missing."""


@dataclass(frozen=True)
class Runs:
    """The runs by which a case is judged. Raises :class:`MissingRuns` unless all runs of a method are there."""

    evidence: Evidence
    case: Any
    """A game; or a method, or a pair of methods, in several games."""
    measure_of: MeasureOf

    @property
    def name(self) -> str:
        """The case in words."""
        methods = self.case if isinstance(self.case, tuple) else (self.case,)
        return " and ".join(str(getattr(method, "label", method)) for method in methods)

    def of(self, game: str) -> Runs:
        """Return the runs in a game."""
        return replace(self, case=game)

    def track(self, method: AnyMethod) -> Track:
        """Return the measure along the runs of a method."""
        [track] = self.tracks((method,))
        return track

    def tracks(self, methods: Sequence[AnyMethod], axis: str = "iteration") -> list[Track]:
        """Return the measure along the runs of several methods; for a tuned method, one track for each member."""
        chosen = [member for method in methods for member in members(method, self.case)]
        return [self._column(method, self.measure_of(self.case)).along(axis) for method in chosen]

    def weights(self, method: Method) -> list[Track]:
        """Return each weight along the runs of a method: the magnet's, the latest policy's, and so on."""
        curve = next(iter(self.evidence.curves(self.case, method).values()), Curve())
        columns = sorted(curve.weights, key=lambda name: 0 if name == MAGNET else int(name.removeprefix(ALPHA)))
        if not columns:
            raise MissingRuns
        return [self._column(method, column) for column in columns]

    def _column(self, method: Method, column: str) -> Track:
        is_complete = self.evidence.is_complete(self.case, method)
        track = self.evidence.track(self.case, method, column) if is_complete else None
        if track is None:
            raise MissingRuns
        return track


# --- tests -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Criterion:
    """A test of one case."""

    formula: str
    """The test in one line. f is the measure along a run, K its last iteration."""
    find: Callable[[Runs], Finding]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The methods, thresholds and games of the test, by name."""
    uses_measure: bool = True
    """Whether the answer depends on f."""

    def decide(self, evidence: Evidence, case: Any, measure_of: MeasureOf) -> Finding:
        """Test one case."""
        return self.find(Runs(evidence, case, measure_of))


def criterion(
    template: str, uses_measure: bool = True
) -> Callable[[Callable[Concatenate[Runs, P], Answer]], Callable[P, Criterion]]:
    """Decorate a function that judges runs, given methods and thresholds: it then takes only these and returns a test.

    The template is the formula, with the parameters in braces.
    """

    def decorate(judge: Callable[Concatenate[Runs, P], Answer]) -> Callable[P, Criterion]:
        @wraps(judge)
        def build(*args: P.args, **kwargs: P.kwargs) -> Criterion:
            def find(runs: Runs) -> Finding:
                try:
                    answer, measured = judge(runs, *args, **kwargs)
                except MissingRuns:
                    return Finding(runs.name, None, MISSING)
                return Finding(runs.name, answer, measured if answer is not None else f"{measured}{NO_ANSWER}")

            bound = signature(judge).bind(None, *args, **kwargs)
            bound.apply_defaults()
            arguments = dict(list(bound.arguments.items())[1:])  # without the runs
            words = {name: _in_words(value) for name, value in (arguments | {"TIE": TIE, "FACTOR": FACTOR}).items()}
            return Criterion(template.format(**words), find, arguments, uses_measure)

        return build

    return decorate


def _in_words(value: Any) -> str:
    """Return an argument as a formula shows it."""
    if isinstance(value, tuple):
        return ", ".join(map(_in_words, value))
    if isinstance(value, float):
        return f"{value:g}".replace("e-0", "e-")
    known = AXES.get(value, value) if isinstance(value, str) else value
    name = str(getattr(known, "label", known))
    return f"({name})" if ", " in name else name


def all_of(*tests: Criterion) -> Criterion:
    """Return a test that is true if all of these tests are."""
    return _joined(", and ", tests, every)


def any_of(*tests: Criterion) -> Criterion:
    """Return a test that is true if at least one of these tests is."""
    return _joined(", or ", tests, some)


def _joined(word: str, tests: Sequence[Criterion], join: Callable[[Sequence[bool | None]], bool | None]) -> Criterion:
    def find(runs: Runs) -> Finding:
        found = [test.find(runs) for test in tests]
        texts = dict.fromkeys(one.measured for one in found)
        return Finding(runs.name, join([one.answer for one in found]), "; ".join(texts))

    return Criterion(word.join(test.formula for test in tests), find)


def in_game(game: str, test: Criterion, elsewhere: Criterion) -> Criterion:
    """Return a test that applies ``test`` in one game and ``elsewhere`` in all others."""
    formula = f"{test.formula} in {game}, {elsewhere.formula} elsewhere"
    return Criterion(formula, lambda runs: (test if runs.case == game else elsewhere).find(runs))


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
    """The iterate that f measures, if not the one that methods report."""
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
    def _games(self) -> Sequence[str]:
        """The games whose runs are read: the test's own if it has any, otherwise the cases."""
        games: Sequence[str] = self.test.arguments.get("games", self.cases)
        return games

    @property
    def _is_about_mixed(self) -> bool:
        has_mixed = any(known_game(game).category is Category.MIXED for game in self._games)
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
            own = dict.fromkeys(main_measure_of(game) for game in self._games)
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
        many = "" if len(claim.cases) == 1 else f"{claim.quantifier} of "
        return {
            "name": claim.name,
            "statement": claim.statement,
            "where": claim.where,
            "test": f"{claim.formula} Must be true in {many}{cases}.",
            "measured": self.measured,
            "verdict": str(self.verdict),
            "needs": claim.needs,
            "remark": claim.remark,
            "cases": [asdict(finding) for finding in self.findings],
        }


def _verdict(quantifier: Quantifier, answers: Sequence[bool | None]) -> Verdict:
    """Return the verdict; it is undecided only if the unknown answers could still change it."""
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
