"""Questions to every game, measure and experiment; games and experiments are given by their names."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gamebench import kernels
from gamebench.algorithms import CMD
from gamebench.analysis.measures import Measure, evaluate, main_measure
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import GameBenchError
from gamebench.experiments.spec import GameSpec
from gamebench.experiments.sweeps import plan_runs, read_sweep, sweep
from gamebench.games.game import Game
from gamebench.games.loading.load import OWN_GAMES, load_game
from gamebench.games.loading.openspiel import has_information_states, values_by_open_spiel
from gamebench.policies import Mixture, Policy, expected_values, random_policy, uniform_policy
from gamebench.runs.solve import solve
from gamebench.testing.conformance import known_policies, question, refused, require, sample_games

TOLERANCE = 1e-9
"""Largest difference from zero, or between equal values, relative to the largest payoff."""
ROUNDING = 1e-12
OPEN_SPIEL_HISTORIES = 20_000
"""Larger games are not compared with OpenSpiel, which would take seconds to walk their trees."""
FEW_ITERATIONS = 3
"""Length of an experiment's first run."""


@question("game")
def loads_as_the_same(name: str) -> None:
    """Loaded twice, it is the same game: same arrays, same names."""
    first, second = load_game(name), load_game(name)
    require(first.name == second.name, f"loaded twice, it is called {first.name!r} and {second.name!r}.")
    before, after = first.fingerprint, second.fingerprint
    require(before == after, f"loaded twice, it has the fingerprints {before} and {after}: is it drawn at random?")


@question("game")
def names_are_unique(name: str) -> None:
    """Its decision points have distinct information states, and the actions at each have distinct names."""
    points = load_game(name).decision_points
    keys = [(point.player, point.information_state) for point in points]
    require(len(set(keys)) == len(keys), "two decision points of a player have the same information state.")
    for point in points:
        require(len(set(point.actions)) == len(point.actions), f"actions at {point.information_state!r} share a name.")


@question("game")
def reaches_sum_to_one(name: str) -> None:
    """The probabilities of its terminals sum to 1 under every policy: sum_z c(z) prod_i x(s_i(z)) = 1."""
    game = load_game(name)
    for seed in range(3):
        plan = np.empty(game.num_sequences + game.num_players)
        kernels.realise(game.sequence_form, np.array(random_policy(game, seed).probabilities), plan)
        total = float((game.sequence_form.chance * plan[game.sequence_form.last_sequences].prod(axis=0)).sum())
        require(abs(total - 1.0) <= TOLERANCE, f"the probabilities of its terminals sum to {total!r}.")


@question("game")
def can_be_measured(name: str) -> None:
    """Its main measure is finite and not negative for the uniform policy and a random one."""
    game = load_game(name)
    for policy in (uniform_policy(game), random_policy(game, 0)):
        value, lowest = evaluate(game, policy, main_measure(game)), -TOLERANCE * (1 + game.max_abs_payoff)
        require(value >= lowest, f"{main_measure(game)} is {value!r}, which is negative.")


@question("game")
def policies_are_kept(name: str) -> None:
    """A policy saved to a file loads unchanged."""
    game = load_game(name)
    policy = random_policy(game, 0)
    with tempfile.TemporaryDirectory() as folder:
        policy.save(Path(folder) / "policy.npz")
        again = Policy.load(Path(folder) / "policy.npz", game)
    require(np.array_equal(policy.probabilities, again.probabilities), "a saved policy comes back changed.")


@question("game")
def can_be_solved(name: str) -> None:
    """CMD runs on it."""
    solve(load_game(name), "CMD", 12, measures=[])


def _has_original(name: str) -> bool:
    """Return whether the game is a small game of OpenSpiel: same players and information states, scaled payoffs.

    Coordinators are not OpenSpiel's players: none of its policies can correlate the members of a team.
    """
    try:
        game = load_game(name)
    except GameBenchError:
        return False  # the other checks report this
    is_derived = game.focus is not None or game.coordination is not None or any(len(team) > 1 for team in game.teams)
    return not is_derived and game.num_histories <= OPEN_SPIEL_HISTORIES and has_information_states(game)


@question("game", when=_has_original)
def values_are_open_spiels(name: str) -> None:
    """Its expected payoffs are those that OpenSpiel computes on the original game."""
    game = load_game(name)
    policy = random_policy(game, 0)
    error = np.abs(expected_values(game, policy) - values_by_open_spiel(game, policy.to_open_spiel())).max()
    require(error <= TOLERANCE * (1 + game.max_abs_payoff), f"its values differ from OpenSpiel's by {error:.3g}.")


@question("game", when=lambda name: name.partition("(")[0] in OWN_GAMES)
def refuses_bad_parameters(name: str) -> None:
    """It refuses unknown parameters with a clear error."""
    with refused("A parameter that does not exist"):
        load_game(f"{name.partition('(')[0]}(no_such_parameter=1)")


@question("measure")
def a_number_for_each_policy(measure: Measure) -> None:
    """It returns one finite number per policy and does not modify the policies."""
    for game, policies in _where_it_applies(measure):
        given = policies.copy()
        values = measure.of_batch(game, given)
        require(
            values.shape == (len(policies),),
            f"it must return {len(policies)} numbers, not an array of shape {values.shape}.",
        )
        require(np.array_equal(given, policies), "it changes the policies that it is given.")


@question("measure")
def one_by_one(measure: Measure) -> None:
    """It gives the same numbers for single policies, for batches, and when it is asked again."""
    for game, policies in _where_it_applies(measure):
        together, again = measure.of_batch(game, policies.copy()), measure.of_batch(game, policies.copy())
        require(np.array_equal(together, again), f"asked twice on {game.name!r}, it gives different numbers.")
        alone = np.array([evaluate(game, Policy(game, policy), measure) for policy in policies])
        error = np.abs(alone - together).max()
        require(
            error <= ROUNDING * (1 + np.abs(together).max()),
            f"measured one by one, policies differ by {error:.3g} from their values in a batch.",
        )


@question("measure")
def says_where_it_applies(measure: Measure) -> None:
    """It refuses games to which it does not apply, and invalid policies, with a clear error."""
    for game in sample_games():
        if not measure.applies(game):
            with refused(f"{game.name!r}, to which it does not apply,"):
                evaluate(game, random_policy(game), measure)
        else:
            with refused("A policy of another length"):
                measure.of_batch(game, np.ones((1, game.num_sequences + 1)))


@question("measure")
def is_an_objective(measure: Measure) -> None:
    """CMD can optimise it, unless it measures a whole run."""
    for game, _ in _where_it_applies(measure):
        if measure.of_average:
            with refused("A measure of a whole run as an objective"):
                CMD(objective=measure).configured(game, 1)
        else:
            solve(game, CMD(objective=measure), 12, measures=[])


@question("measure", when=lambda measure: measure.of_play is not None)
def of_a_mixture_of_one(measure: Measure) -> None:
    """A mixture of a single policy has the value of that policy."""
    for game, policies in _where_it_applies(measure):
        policy = Policy(game, policies[0])
        pure, mixed = evaluate(game, policy, measure), evaluate(game, Mixture([policy]), measure)
        is_close = abs(pure - mixed) <= TOLERANCE * game.max_abs_payoff
        require(is_close, f"for a policy it is {pure!r}, but for its mixture {mixed!r}.")


@question("measure", when=lambda measure: measure.zero_at is not None)
def zero_at_solutions(measure: Measure) -> None:
    """It is zero at known solutions of the kind that it names, and positive elsewhere."""
    applicable = [known for known in known_policies() if measure.applies(known.game)]
    for known in applicable:
        value, scale = evaluate(known.game, known.policy, measure), known.game.max_abs_payoff
        if measure.zero_at in known.solves:
            require(abs(value) <= TOLERANCE * scale, f"it must be zero at {known}, and is {value!r}.")
        else:
            require(value > TOLERANCE * scale, f"it must be positive at {known}, and is {value!r}.")
    is_tested = any(measure.zero_at in known.solves for known in applicable)
    require(is_tested, "it applies to none of the games with known solutions.")


def _where_it_applies(measure: Measure) -> Iterator[tuple[Game, FloatArray]]:
    """Yield the sample games that the measure applies to, each with three random policies ``(3, S)``."""
    games = [game for game in sample_games() if measure.applies(game)]
    require(games, f"it applies to none of the sample games ({measure.applies_to}).")
    for game in games:
        yield game, np.array([random_policy(game, seed).probabilities for seed in range(3)])


@question("experiment")
def can_be_planned(name: str) -> None:
    """All of its runs can be planned, and planning twice gives the same runs."""
    first, second = ([plan.id for plan in plan_runs(read_sweep(name).runs())] for _ in range(2))
    require(first, "it has no runs.")
    require(first == second, "planned twice, it has different runs: an experiment must not depend on chance.")


@question("experiment")
def its_first_run_finishes(name: str) -> None:
    """Its first run, cut to a few iterations, finishes and stores its curve."""
    run = next(read_sweep(name).runs())
    game = run.model_dump(include={*GameSpec.model_fields})
    settings = {key: (value,) if isinstance(value, tuple) else value for key, value in run.hyperparameters.items()}
    algorithm = {"algorithm": run.algorithm, "set": settings}
    iterations = FEW_ITERATIONS if run.iterations is None else min(FEW_ITERATIONS, run.iterations)
    cut = {"games": [game], "algorithms": [algorithm], "iterations": iterations, "measures": run.measures}
    with tempfile.TemporaryDirectory() as folder:
        outcome = sweep(cut, folder, executor="serial")
        require(not outcome.failures, f"its first run fails: {next(iter(outcome.failures.values()), '')}")
        [plan] = outcome.plans
        last = outcome.store.run(plan.id).curve()["iteration"].tolist()[-1]
        require(last == iterations, f"the curve of its first run ends at iteration {last}.")
