"""Every empirical statement of the paper, with the test that decides it on our data."""

from gamebench.paper.claims.claim import Claim, Decision, Verdict
from gamebench.paper.claims.criterion import Finding
from gamebench.paper.claims.ledger import CLAIMS, decide_all

__all__ = ["CLAIMS", "Claim", "Decision", "Finding", "Verdict", "decide_all"]
