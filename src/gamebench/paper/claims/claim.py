"""What a claim is: a statement, and a test for each of its cases. Missing runs leave it undecided, never decide it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gamebench.choices import Verdict
from gamebench.paper.evidence import Evidence


class Quantifier(StrEnum):
    """For how many of its cases a claim is made."""

    EVERY = "all"
    ALMOST_ALL = "almost all"
    """Four in five."""
    MOST = "most"
    """More than half."""
    SOME = "at least one"


@dataclass(frozen=True)
class Finding:
    """One case, usually a game."""

    case: str
    answer: bool | None
    """``None`` if runs are missing, or seeds disagree."""
    measured: str
    """The numbers."""


Test = Callable[[Evidence, Any], Finding]


@dataclass(frozen=True)
class Claim:
    """One statement of the paper."""

    name: str
    statement: str
    where: str
    formula: str
    """The test of one case in words and symbols."""
    test: Test
    cases: Sequence[Any]
    """Games, or whatever the test takes."""
    quantifier: Quantifier = Quantifier.EVERY
    needs: str = "summary"
    """The experiments with its runs."""
    remark: str = ""
    """What is known of why the paper may have seen something else."""

    def decide(self, evidence: Evidence) -> Decision:
        """Test all cases."""
        findings = tuple(self.test(evidence, case) for case in self.cases)
        answers = [finding.answer for finding in findings]
        return Decision(self, _verdict(self.quantifier, answers), findings)


@dataclass(frozen=True)
class Decision:
    """A claim, and what was found."""

    claim: Claim
    verdict: Verdict
    findings: tuple[Finding, ...]

    @property
    def share(self) -> str:
        """In how many of its cases it is true."""
        return f"{sum(finding.answer is True for finding in self.findings)} of {len(self.findings)}"

    @property
    def measured(self) -> str:
        """In one line: in how many cases it holds, and the numbers of those in which it does not."""
        if len(self.findings) == 1:
            return f"{self.findings[0].case}: {self.findings[0].measured}"
        text = f"true in {self.share}"
        for answer, words in ((False, "not true in"), (None, "undecided in")):
            others = [finding for finding in self.findings if finding.answer is answer]
            if others and len(others) <= 6:
                text += f"; {words} " + ", ".join(f"{one.case} ({one.measured})" for one in others)
            elif others:
                text += f"; {words} " + ", ".join(one.case for one in others)
        return text

    @property
    def _cases(self) -> str:
        names = ", ".join(one.case for one in self.findings)
        return names if len(self.findings) == 1 else f"{self.claim.quantifier} of {names}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON and for the page."""
        claim = self.claim
        return {
            "name": claim.name,
            "statement": claim.statement,
            "where": claim.where,
            "test": f"{claim.formula} Asked of {self._cases}.",
            "measured": self.measured,
            "verdict": str(self.verdict),
            "needs": claim.needs,
            "remark": claim.remark,
            "cases": [{"case": one.case, "answer": one.answer, "measured": one.measured} for one in self.findings],
        }


def _verdict(quantifier: Quantifier, answers: Sequence[bool | None]) -> Verdict:
    """Of three values: undecided only if what is not known could still turn the answer."""
    true, false, count = answers.count(True), answers.count(False), len(answers)
    needed = {
        Quantifier.EVERY: count,
        Quantifier.ALMOST_ALL: math.ceil(0.8 * count),
        Quantifier.MOST: count // 2 + 1,
        Quantifier.SOME: 1,
    }[quantifier]
    if true >= needed:
        return Verdict.HOLDS
    return Verdict.FAILS if count - false < needed else Verdict.UNDECIDED
