"""The ledger: what the paper claims about its experiments, in its order, and a few claims that we add."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from gamebench.paper.claims import method_claims, objective_claims, variant_claims
from gamebench.paper.claims.claim import Claim, Decision
from gamebench.paper.evidence import Evidence
from gamebench.registry import Registry

CLAIMS: Registry[Claim] = Registry("claim")
for _name, _row in chain.from_iterable(
    module.ROWS.items() for module in (method_claims, variant_claims, objective_claims)
):
    _claim = replace(_row, name=_name)
    for _each in filter(None, (_claim, _claim.twin)):
        CLAIMS.register(_each.name, _each)


def decide_all(evidence: Evidence) -> list[Decision]:
    """Decide every claim on the runs that are there."""
    return [claim.decide(evidence) for claim in CLAIMS.values()]
