"""Verdicts and numbers of all claims on the shipped runs, as they were once found."""

import json
from pathlib import Path

import pytest

from gamebench.evidence.claims import CLAIMS, decide_all
from gamebench.evidence.claims.claim import MISSING
from gamebench.evidence.shipped import ShippedEvidence

RECORDED = Path(__file__).with_name("recorded_claims.json")
"""All claims on the shipped runs without their tests' words; ``python -m tests.evidence.test_recorded_claims``."""


def on_shipped_runs():
    decisions = json.loads(json.dumps([one.as_dict() for one in decide_all(ShippedEvidence())], allow_nan=False))
    return [{key: value for key, value in decision.items() if key != "test"} for decision in decisions]


@pytest.mark.slow
def test_verdicts_and_numbers_are_those_that_were_recorded():
    """And of each experiment enough was shipped for all claims about it."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    for found, expected in zip(on_shipped_runs(), recorded, strict=True):
        assert found == expected
        assert not any(MISSING in case["measured"] for case in found["cases"])
    assert [claim["name"] for claim in recorded] == list(CLAIMS)
    assert {claim["needs"] for claim in recorded} <= {*ShippedEvidence().provenance}


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(decision, separators=(",", ":")) for decision in on_shipped_runs())
    RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
