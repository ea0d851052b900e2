"""What a claim is: a statement, and a test for each of its cases. Missing runs leave it undecided, never decide it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from gamebench.choices import Verdict as Verdict
from gamebench.games.catalog import CATALOG
from gamebench.games.game import Category
from gamebench.paper.claims.criterion import Criterion, Finding
from gamebench.paper.evidence import Evidence
from gamebench.paper.methods import GAMES, main_measure_of

ALMOST = 0.8
"""The share of its cases in which a claim about almost all of them must be true."""


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
        approximates = CATALOG[game].category is Category.MIXED and not self.is_exact
        return self.measure or ("NashConv(approximate)" if approximates else main_measure_of(game))

    @property
    def _is_about_mixed(self) -> bool:
        has_mixed = any(CATALOG[game].category is Category.MIXED for game in self.test.games_of(self.cases))
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
            sentences.append(f"f is {self.measure or ' or '.join(own)}{how if self._is_about_mixed else ''}.")
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
