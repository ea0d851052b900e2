"""Solve three-player Leduc poker with suit isomorphism: two coordinated players against one.

    python -m tools.coordinated_leduc

Each player is alone in turn. Prints the size of the game between coordinators, the seconds to build it, and NashConv
of PCFR+ after three minutes on one core. The kernels are compiled before the clock starts.
"""

from __future__ import annotations

import time

import gamebench as gb
from gamebench.runs.run import compile_for

NAME = "leduc_poker(players=3,suit_isomorphism=True)"
ALGORITHM, STEP, MINUTES = "PCFR+", 50, 3


def main() -> None:
    """Print a line for each player."""
    small = gb.load_game("MCCKuhn-A", coordinated=True)
    compile_for(gb.solve(small, ALGORITHM, 2).algorithm, small)
    print("alone decision points     edges  built in iterations  NashConv team value")
    for alone in range(3):
        teams = gb.load_game(NAME, teams=[[player for player in range(3) if player != alone], [alone]])
        began = time.perf_counter()
        game = gb.with_coordination(teams)
        built = time.perf_counter() - began
        began, result, iterations = time.perf_counter(), None, 0
        while time.perf_counter() - began < 60 * MINUTES:
            iterations += STEP
            result = gb.solve(game, ALGORITHM, iterations, state=result, measures=[])
        assert result is not None
        gains = gb.improvements(game, result.policy)
        value = gb.expected_values(game, result.policy)[0]
        print(
            f"{alone:5} {game.num_decision_points:15,} {len(game.sequence_form.parent_sequences):9,} {built:8.1f}s "
            f"{iterations:10,} {gains.sum():9.2e} {value:.6f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
