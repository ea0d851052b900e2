"""The ledger: what the paper claims of its experiments, in its order, and a few claims that ours add."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from gamebench.paper.claims import controller_claims, cost_claims, measure_claims, summary_claims, variant_claims
from gamebench.paper.claims.claim import Claim, Decision
from gamebench.paper.claims.remarks import REMARKS
from gamebench.paper.evidence import Evidence
from gamebench.registry import Registry

CLAIMS: Registry[Claim] = Registry("claim")
for _claim in chain.from_iterable(
    some.claims() for some in (summary_claims, controller_claims, variant_claims, measure_claims, cost_claims)
):
    CLAIMS.register(_claim.name, replace(_claim, remark=REMARKS.get(_claim.name.removesuffix("-exact"), "")))


def decide_all(evidence: Evidence) -> list[Decision]:
    """Every claim, decided on what there is."""
    return [claim.decide(evidence) for claim in CLAIMS.values()]
