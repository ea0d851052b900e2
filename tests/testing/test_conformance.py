"""The conformance suite: everything in the package passes, and each defect fails the check for it."""

import dataclasses

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms.descent.convex import ConvexFunction, own_convex, parse_convex
from gamebench.core.settings import setting
from gamebench.testing import (
    ConformanceCheck,
    ConformanceError,
    checks_of,
    checks_of_all,
    known_policies,
    sample_games,
)
from gamebench.testing.questions_to_algorithms import Bowl
from tests.helpers import refuses


@pytest.mark.parametrize("check", checks_of_all(), ids=str)
def test_what_comes_with_the_package_conforms(check):
    check()


def failures(thing):
    """Return the messages of failed checks by title."""
    found = {}
    for check in checks_of(thing):
        try:
            check()
        except ConformanceError as error:
            found[check.title] = str(error)
    return found


class Uniform(gb.Algorithm):
    """Always plays uniformly: a sound algorithm, from which broken ones are derived."""

    name = "Uniform"
    uses_seed = False

    def start(self, game, seed):
        return gb.algorithms.State(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities))

    def advance(self, game, state, iterations):
        state.count(iterations)


class Tilted(Uniform):
    name = "Tilted"

    def advance(self, game, state, iterations):
        super().advance(game, state, iterations)
        state.policy[0] += 0.1


class Miscounting(Uniform):
    name = "Miscounting"

    def advance(self, game, state, iterations):
        state.count(1)


class Secretive(Uniform):
    """Keeps data outside of its declared state."""

    name = "Secretive"

    def advance(self, game, state, iterations):
        state.count(iterations)
        state.secret = getattr(state, "secret", 0) + iterations
        state.policy[:] = gb.random_policy(game, state.secret).probabilities


class Hasty(Uniform):
    name = "Hasty"

    def advance(self, game, state, iterations):
        state.count(iterations)
        state.policy[:] = gb.random_policy(game, iterations).probabilities


class Random(Uniform):
    name = "Random"
    uses_seed = True

    def advance(self, game, state, iterations):
        state.count(iterations)
        state.policy[:] = gb.random_policy(game, np.random.default_rng()).probabilities


class Seeded(Uniform):
    """Declares that it has no randomness, but has some."""

    name = "Seeded"

    def advance(self, game, state, iterations):
        state.count(iterations)
        state.policy[:] = gb.random_policy(game, state.seed).probabilities


class Careless(Uniform):
    name = "Careless"
    level: float = setting(lambda value: value, "takes anything", default=1.0)


class Listing(gb.algorithms.State):
    seen: set


class Unpackable(Uniform):
    name = "Unpackable"

    def start(self, game, seed):
        return Listing(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities), seen=set())


class Choosy(Uniform):
    name = "Choosy"

    def configured(self, game, iterations):
        raise gb.errors.SettingError("Nothing is good enough.")


class Raising(Uniform):
    name = "Raising"

    def advance(self, game, state, iterations):
        raise ZeroDivisionError("oh")


class Shapeless(Uniform):
    name = "Shapeless"

    def published(self, game, state):
        return state.policy[:-1]


class Stateless(Uniform):
    name = "Stateless"

    def start(self, game, seed):
        return np.zeros(3)


SAME, PIECES, RESUME = (
    "The same seed gives the same bits",
    "All at once or step by step",
    "Saved and loaded in the middle",
)
POLICY = "Its policy stays valid"


def test_broken_algorithms_fail():
    for broken, title, sentence in [
        (Tilted, POLICY, "sum"),
        (Miscounting, POLICY, "was asked for 3 iterations, but its state counts from 2 to 3"),
        (Hasty, PIECES, "run step by step on 'one player', it ends with another policy"),
        (Secretive, RESUME, "in two parts, resumed at iteration 1,"),
        (Random, SAME, "twice with the same seed on 'one player', it ends with another policy"),
        (Seeded, "It declares no randomness", "with another seed (uses_seed is False) on"),
        (Careless, "It refuses bad hyper-parameters", "An object() as level must be refused, but is accepted."),
        (Unpackable, RESUME, "a field of its state is not an array, a number or a text"),
        (Choosy, SAME, "it refuses all of the sample games"),
        (Raising, POLICY, "raised an unexpected error: ZeroDivisionError: oh (test_conformance.py, line"),
        (Shapeless, "Its initial state", "its policy has the shape (2,), not (3,)."),
        (Stateless, "Its initial state", "start() must return a gb.algorithms.State, not ndarray."),
    ]:
        found = failures(broken)
        [message] = [message for key, message in found.items() if key.startswith(title)]
        assert sentence in message, broken
        assert message.startswith(f"The algorithm {broken.name!r}"), broken


def test_a_sound_algorithm_passes():
    assert failures(Uniform) == {}


class Steady(gb.controllers.Controller):
    name = "Steady"

    def update(self, weights, losses, current_loss, generator):
        return weights


class Unbounded(Steady):
    name = "Unbounded"

    def update(self, weights, losses, current_loss, generator):
        return weights + 1.0


class InPlace(gb.controllers.DRS):
    name = "InPlace"

    def update(self, weights, losses, current_loss, generator):
        weights[:] = super().update(weights, losses, current_loss, generator)
        return weights


class OwnDice(gb.controllers.DRS):
    name = "OwnDice"

    def update(self, weights, losses, current_loss, generator):
        return super().update(weights, losses, current_loss, np.random.default_rng())


class Flat(gb.controllers.DRS):
    name = "Flat"

    def update(self, weights, losses, current_loss, generator):
        losses(weights)
        return weights


class Short(Steady):
    name = "Short"

    def update(self, weights, losses, current_loss, generator):
        return weights[:0]


def test_broken_controllers_fail():
    for broken, title, sentence in [
        (Steady, "It lowers a smooth loss", "200 updates"),
        (Unbounded, "It returns weights", "weights must stay between 1e-06 and 1"),
        (InPlace, "It returns weights", "update() changes the weights that it is given"),
        (OwnDice, "All of its randomness", "with the same generator, it ends with other weights"),
        (OwnDice, "CMD with it", "ends with another policy"),
        (Flat, "It returns weights", "candidates must"),
        (Short, "It returns weights", "update() must return weights of shape (1,)"),
    ]:
        [message] = [message for key, message in failures(broken).items() if key.startswith(title)]
        assert sentence in message, broken


def test_a_bowl_has_its_minimum_at_the_target():
    bowl = Bowl(3)
    assert bowl.at(bowl.target) == 0.0
    assert bowl.at(np.array([0.2, 0.45, 0.8])) == pytest.approx(20 * 0.01, abs=1e-12)


def test_broken_convex_functions_fail():
    falling = failures(own_convex(lambda x: -x, "falling"))
    assert (
        "its derivative must rise" in falling["Its derivative is finite, rises and can be inverted from epsilon to 1"]
    )
    wrong = ConvexFunction("x^2", lambda x: 3 * x, parse_convex("x^2").built_in, lambda x: x**2)
    found = failures(wrong)
    assert "misses the optimum" in found["Mirror steps satisfy the optimality conditions"]
    assert "where the slope of psi is" in found["Its derivative is the slope of the given psi"]


def test_broken_measures_fail():
    def restless(game, policy):
        restless.calls += 1
        return restless.calls

    restless.calls = 0
    found = failures(gb.own_measure(restless))
    assert (
        "asked twice" in found["It gives the same numbers for single policies, for batches, and when it is asked again"]
    )
    nash_conv = gb.measures.MEASURES["NashConv"]
    shifted = dataclasses.replace(nash_conv, compute=lambda game, policies: nash_conv.compute(game, policies) + 1e-6)
    [message] = failures(shifted).values()
    assert message.startswith("The measure 'NashConv': it must be zero at an equilibrium and an optimum of one player")
    welfare = gb.own_measure(lambda game, policy: 0.0, "nothing", zero_at="optimum")
    [message] = failures(welfare).values()
    assert "it must be positive at no solution of one player, and is 0.0." in message
    mixed = dataclasses.replace(gb.measures.MEASURES["SocialWelfare"], of_play=lambda play: 1.0)
    [message] = failures(mixed).values()
    assert "for a policy it is" in message

    def meddling(game, policies):
        policies[:] = 0.0
        return np.zeros(len(policies))

    found = failures(dataclasses.replace(nash_conv, compute=meddling, zero_at=None, of_play=None))
    assert "changes the policies" in found["It returns one finite number per policy and does not modify the policies"]
    nowhere = dataclasses.replace(nash_conv, applies=lambda game: False, zero_at=gb.measures.Solution.EQUILIBRIUM)
    assert "applies to none of the sample games" in str(failures(nowhere))
    assert "applies to none of the games with known solutions" in str(failures(nowhere))


def test_broken_games_fail(own_names):
    @gb.register_game
    def dice():
        return gb.Game.from_payoffs(np.random.default_rng().normal(size=(2, 2, 2)))

    @gb.register_game
    def greedy(**anything):
        return gb.Game.from_payoffs(np.zeros((2, 2, 2)))

    @gb.register_game
    def gone():
        raise FileNotFoundError("the file of the game")

    [message] = failures("dice").values()
    assert "is it drawn at random?" in message
    [message] = failures("greedy").values()
    assert "A parameter that does not exist must be refused, but is accepted." in message
    assert all("cannot be made: FileNotFoundError" in message for message in list(failures("gone").values())[:5])


def test_games_with_other_payoffs_than_open_spiel_s_are_compared_times_the_factor(own_names):
    @gb.register_game
    def dear(factor=10):
        return gb.with_payoff_scale(gb.load_game("kuhn_poker"), factor)

    titles = [check.title for check in checks_of("dear")]
    assert "Its expected payoffs are those that OpenSpiel computes on the original game" in titles
    assert failures("dear") == {}


def test_games_between_coordinators_conform_and_are_not_compared_with_open_spiel(own_names):
    @gb.register_game
    def together(game="MCCGoofspiel"):
        return gb.load_game(game, coordinated=True)

    titles = [check.title for check in checks_of("together")]
    assert "CMD runs on it" in titles
    assert not any("OpenSpiel" in title for title in titles)
    assert failures("together") == {}


def test_some_sample_game_has_decision_points_with_several_parents():
    [game] = [game for game in sample_games() if game.coordination is not None]
    assert game.sequence_form.parent_starts is not None


def test_broken_experiments_fail(own_names):
    @gb.register_experiment
    def fleeting():
        return {"games": "Kuhn", "algorithms": "CMD", "seeds": [int(np.random.default_rng().integers(1e9))]}

    @gb.register_measure
    def hopeless(game, policy):
        raise RuntimeError("no idea")

    @gb.register_experiment(name="failing")
    def some():
        return {"games": "Kuhn", "algorithms": "CMD", "measures": "hopeless"}

    assert "planned twice, it has different runs" in str(failures("fleeting"))
    [message] = failures("failing").values()
    assert "its first run fails" in message
    assert "no idea" in message


def test_known_policies_are_confirmed_by_trying_every_plan():
    """Tries every pure plan: at an equilibrium nobody gains, and at an optimum nothing is better."""
    assert len({game.category for game in sample_games()}) == 5
    for known in known_policies():
        game, values = known.game, gb.expected_values(known.game, known.policy)
        if game.has_teams or game.num_sequences > 6:
            continue
        table = game.source.payoffs
        gains = []
        for player in range(game.num_players):
            moved = np.moveaxis(table[..., player], player, 0)
            for other in reversed(range(game.num_players)):
                if other != player:
                    own = known.policy.probabilities[game.sequence_form.sequences_of(other)]
                    moved = np.tensordot(moved, own, axes=(1, 0)) if moved.ndim > 1 else moved
            gains.append(moved.max() - values[player])
        assert (max(gains) <= 1e-12) == (gb.measures.Solution.EQUILIBRIUM in known.solves), str(known)
        if game.shares_payoffs(range(game.num_players)):
            assert (table[..., 0].max() - values[0] <= 1e-12) == (gb.measures.Solution.OPTIMUM in known.solves), str(
                known
            )


def test_kuhn_s_own_equilibrium():
    known = known_policies()[-1]
    assert gb.evaluate(known.game, known.policy, "NashConv") == pytest.approx(0.0, abs=1e-15)
    assert gb.expected_values(known.game, known.policy) == pytest.approx([-1 / 18, 1 / 18], abs=1e-15)


def test_what_cannot_be_checked_is_refused_in_a_sentence():
    refuses(gb.errors.GameBenchError, "a measure or a name can be checked, not int", checks_of, 3)
    refuses(gb.errors.UnknownNameError, "did you mean 'NashConv'", checks_of, "NashConf")
    assert str(ConformanceCheck("game", "Kuhn", "title", print)) == "game Kuhn: title"
    assert {check.kind for check in checks_of("nashconv")} == {"measure"}
