"""The ledger: every empirical statement of the paper in its order, then others about today's solvers."""

from __future__ import annotations

from dataclasses import replace

from gamebench.core.registry import Registry
from gamebench.evidence.claims import field_claims, method_claims, objective_claims, team_claims, variant_claims
from gamebench.evidence.claims.claim import Claim, Decision, Finding, Verdict
from gamebench.evidence.runs import Evidence

__all__ = ["CLAIMS", "Claim", "Decision", "Finding", "Verdict", "decide_all"]

CLAIMS: Registry[Claim] = Registry("claim")
_ROWS = method_claims.ROWS | variant_claims.ROWS | objective_claims.ROWS | field_claims.ROWS | team_claims.ROWS
for _name, _row in _ROWS.items():
    _claim = replace(_row, name=_name)
    CLAIMS.register(_name, _claim)
    if _claim.twin is not None:
        CLAIMS.register(_claim.twin.name, _claim.twin)


def decide_all(evidence: Evidence) -> list[Decision]:
    """Test every claim on the available runs."""
    return [claim.decide(evidence) for claim in CLAIMS.values()]
