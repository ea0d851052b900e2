"""Measure how often intervals of ``estimate_policy`` contain the exact NashConv on Kuhn poker, for docs/agents.md.

``python -m tools.interval_coverage`` prints, for each policy and number of samples, the share of repetitions in which
the 95 % interval contains the true value. Counts are drawn as if an agent played the policy.
"""

from __future__ import annotations

import numpy as np

import gamebench as gb

REPETITIONS = 200
SAMPLES = (20, 100, 400)


def coverage(policy: gb.Policy, samples: int) -> float:
    """Return the share of intervals that contain the policy's NashConv."""
    game = policy.game
    truth = max(gb.evaluate(game, policy, "NashConv"), 0.0)  # rounding makes it negative at an equilibrium
    contained = 0
    for repetition in range(REPETITIONS):
        rng, counts = np.random.default_rng(repetition), np.zeros(game.num_sequences, dtype=np.int64)
        for point in game.decision_points:
            chances = policy.probabilities[point.sequences]
            counts[point.sequences] = rng.multinomial(samples, chances / chances.sum())
        interval = gb.analysis.PolicyEstimate(game, counts).interval("NashConv", seed=repetition)
        contained += interval.low <= truth <= interval.high
    return contained / REPETITIONS


def main() -> None:
    """Print the table."""
    game = gb.load_game("kuhn_poker")
    policies = {f"random {seed}": gb.random_policy(game, seed) for seed in range(4)}
    policies |= {"uniform": gb.uniform_policy(game), "equilibrium": gb.solve_exactly(game).policy}
    policies["equilibrium of CRD"] = gb.solve(game, "CRD", 1000).policy
    print(f"{'policy':20}{''.join(f'{samples:>8}' for samples in SAMPLES)}  samples at each decision point")
    for name, policy in policies.items():
        shares = (f"{100 * coverage(policy, samples):6.1f} %" for samples in SAMPLES)
        print(f"{name:20}{''.join(shares)}")


if __name__ == "__main__":
    main()
