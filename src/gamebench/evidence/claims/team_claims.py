"""Claims about mixed games: how close team members get to an equilibrium, independently and when coordinated."""

from __future__ import annotations

from functools import partial

from gamebench.evidence.claims import criteria
from gamebench.evidence.claims.claim import Claim
from gamebench.evidence.experiments import FIELD_METHODS
from gamebench.evidence.methods import COORDINATED
from gamebench.games.catalogue import PAPER_GAMES

METHODS = {method.label: method for method in FIELD_METHODS}
FLOOR = PAPER_GAMES["MCCKuhn-B"].floor or 0.0
_teams = partial(Claim, needs="teams", is_exact=True, where="ours")

ROWS: dict[str, Claim] = {
    "teams-independent-cfr-plus": _teams(
        "In the mixed Kuhn games, CFR+ with independent team members stays far from a team equilibrium.",
        criteria.ends_above(METHODS["CFR+"], 0.01),
        ("MCCKuhn-A", "MCCKuhn-B"),
    ),
    "teams-independent-crd": _teams(
        "In MCCKuhn-B, CRD comes as close to an equilibrium as independent members can.",
        criteria.ends_below(METHODS["CRD"], round(1.01 * FLOOR, 6)),
        ("MCCKuhn-B",),
        note=f"The lowest known value is {FLOOR:g}.",
    ),
    **{
        f"teams-coordinated-{name}": _teams(
            f"With coordinated teams, {method} reaches NashConv 1e-6 within 4096 iterations.",
            criteria.solves_within(METHODS[method], 4096, 1e-6),
            COORDINATED,
        )
        for name, method in (
            *(("crd", "CRD"), ("cmd", "CMD"), ("cmd-sr", "CMD(SR)"), ("mmd-kl", "MMD-KL")),
            *(("cfr", "CFR"), ("cfr-plus", "CFR+"), ("dcfr", "DCFR"), ("dcfr-plus", "DCFR+")),
            *(("pcfr-plus", "PCFR+"), ("apcfr-plus", "APCFR+"), ("pdcfr-plus", "PDCFR+"), ("rtcfr-plus", "RTCFR+")),
        )
    },
}
