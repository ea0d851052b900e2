"""Questions to every registered algorithm, controller (on a known loss, and within CMD) and convex function."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from gamebench.algorithms import CMD, GMD, Algorithm, State, pack_state, unpack_state
from gamebench.algorithms.descent.controllers import Controller
from gamebench.algorithms.descent.convex import ConvexFunction
from gamebench.algorithms.descent.mirror_step import mirror_step
from gamebench.algorithms.iterates import AVERAGES, normalised
from gamebench.core.arrays import FloatArray
from gamebench.core.choices import ITERATES
from gamebench.core.errors import GameBenchError
from gamebench.core.settings import Settings
from gamebench.games.game import Game
from gamebench.games.sequence_form import realisation
from gamebench.policies import Policy
from gamebench.testing.conformance import ConformanceError, question, refused, require, sample_games

ITERATIONS = 23
"""Length of each run; CMD updates its weights twice in it."""
SIZES, UPDATES = (1, 2, 4), 200
"""Numbers of weights, and of a controller's updates."""
EPSILONS = (1e-10, 1e-3)
TOLERANCE = 1e-7
"""Error of the optimality conditions, relative to their largest term: psi' may be steep, and users' are splines."""


@question("algorithm")
def starts_at_a_policy(algorithm: type[Algorithm]) -> None:
    """Its initial state is at iteration 0 and has a valid policy."""
    for game, configured in _on_games(algorithm):
        state = configured.start(game, 0)
        require(isinstance(state, State), f"start() must return a gb.algorithms.State, not {type(state).__name__}.")
        require(state.iteration == 0, f"start() must return a state at iteration 0, not {state.iteration}.")
        _check_policy(game, configured.policy(game, state))


@question("algorithm")
def stays_a_policy(algorithm: type[Algorithm]) -> None:
    """Its policy stays valid, and its state counts the iterations."""
    for game, configured in _on_games(algorithm):
        state = configured.start(game, 0)
        for count in (1, 1, 3, ITERATIONS - 5):
            before = state.iteration
            configured.advance(game, state, count)
            task = f"advance() was asked for {count} iterations, but its state counts"
            require(state.iteration == before + count, f"{task} from {before} to {state.iteration}.")
            _check_policy(game, configured.policy(game, state))


@question("algorithm")
def same_seed_same_bits(algorithm: type[Algorithm]) -> None:
    """The same seed gives the same bits."""
    for game, configured in _on_games(algorithm):
        _check_same(game, configured, _run(game, configured), "twice with the same seed")


@question("algorithm")
def pieces_do_not_matter(algorithm: Callable[[], Algorithm]) -> None:
    """All at once or step by step, it computes the same bits."""
    for game, configured in _on_games(algorithm):
        steps = configured.start(game, 0)
        for _ in range(ITERATIONS):
            configured.advance(game, steps, 1)
        _check_same(game, configured, steps, "step by step")


@question("algorithm")
def resumes(algorithm: Callable[[], Algorithm]) -> None:
    """Saved and loaded in the middle, it continues bit for bit."""
    for game, configured in _on_games(algorithm):
        for middle in (0, 1, ITERATIONS // 2):
            begun = configured.start(game, 0)
            configured.advance(game, begun, middle)
            metadata, arrays = pack_state(begun)
            copies = {name: array.copy() for name, array in arrays.items()}
            resumed = unpack_state(game, configured, json.loads(_as_json(metadata)), copies)
            configured.advance(game, resumed, ITERATIONS - middle)
            _check_same(game, configured, resumed, f"in two parts, resumed at iteration {middle},")


@question("algorithm")
def reports_any_iterate(algorithm: type[Algorithm]) -> None:
    """It reports any iterate: each is a valid policy, and averages are those of the policies that it played."""
    for game, configured in _on_games(algorithm):
        state = configured.begin(game, 0, ITERATES)
        sums = {name: np.zeros(game.num_sequences) for name in AVERAGES}
        for t in range(1, ITERATIONS + 1):
            plan = realisation(game.sequence_form, state.policy)[: game.num_sequences]
            for name, power in AVERAGES.items():
                sums[name] += t**power * plan
            configured.proceed(game, state, 1)
        for name, total in sums.items():
            found = configured.policy(game, state, name)
            _check_policy(game, found)
            same = np.allclose(found, normalised(game, total), rtol=0.0, atol=1e-12)
            require(same, f"on {game.name!r} the iterate {name!r} is not the average of the policies that were played.")


@question("algorithm")
def is_data(algorithm: type[Algorithm]) -> None:
    """Its hyper-parameters survive a round trip through JSON."""
    for game, configured in _on_games(algorithm):
        described = configured.description()
        again = algorithm(**json.loads(json.dumps(described))).configured(game, ITERATIONS)
        require(again.description() == described, f"{described} comes back as {again.description()}.")


@question("algorithm")
@question("controller")
def refuses_bad_settings(kind: type[Settings]) -> None:
    """It refuses bad hyper-parameters with a clear error."""
    for name in ("no_such_setting", *(setting.name for setting in kind.settings())):
        with refused(f"An object() as {name}"):
            kind(**{name: object()})


@question("algorithm", when=lambda algorithm: not algorithm().uses_seed)
def no_seed_matters(algorithm: type[Algorithm]) -> None:
    """It declares no randomness, and the seed changes nothing."""
    for game, configured in _on_games(algorithm):
        _check_same(game, configured, _run(game, configured, 1), "with another seed (uses_seed is False)")


def _on_games(algorithm: Callable[[], Algorithm]) -> Iterator[tuple[Game, Algorithm]]:
    """Yield the sample games that the algorithm accepts; it may refuse some with a :class:`GameBenchError`."""
    is_accepted, reason = False, ""
    for game in sample_games():
        try:
            configured = algorithm().configured(game, ITERATIONS)
            configured.start(game, 0)
        except GameBenchError as error:
            reason = str(error)
            continue
        is_accepted = True
        yield game, configured
    require(is_accepted, f"it refuses all of the sample games: {reason}")


def _as_json(metadata: dict[str, Any]) -> str:
    try:
        return json.dumps(metadata)
    except TypeError as error:
        message = f"a field of its state is not an array, a number or a text ({error}), so it cannot be saved."
        raise ConformanceError(message) from error


def _run(game: Game, algorithm: Algorithm, seed: int = 0) -> State:
    state: State = algorithm.start(game, seed)
    algorithm.advance(game, state, ITERATIONS)
    return state


def _check_same(game: Game, algorithm: Algorithm, state: State, how: str) -> None:
    """Require that ``state`` equals that of a plain run; ``how`` describes how it was reached."""
    plain = _run(game, algorithm)
    same = np.array_equal(algorithm.policy(game, plain), algorithm.policy(game, state))
    require(same, f"run {how} on {game.name!r}, it ends with another policy.")
    require(plain.evaluated == state.evaluated, f"run {how} on {game.name!r}, it evaluates more or fewer policies.")


def _check_policy(game: Game, probabilities: Any) -> None:
    shape = np.shape(probabilities)
    require(shape == (game.num_sequences,), f"its policy has the shape {shape}, not ({game.num_sequences},).")
    Policy(game, probabilities)  # raises a PolicyError unless it is valid


class Bowl:
    """The loss 20 |alpha - target|^2, whose minimum is inside the range of the weights."""

    def __init__(self, size: int) -> None:
        self.target = np.linspace(0.2, 0.7, size)

    def losses(self, weights: FloatArray) -> FloatArray:
        """Return the losses ``(B,)`` of candidates ``(B, n)``, whose shape is checked."""
        shape, size = np.shape(weights), self.target.size
        require(len(shape) == 2 and shape[1] == size, f"candidates must be an array of shape (B, {size}), not {shape}.")
        return self.at(weights)

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the loss along the last axis."""
        return np.asarray(20.0 * ((weights - self.target) ** 2).sum(axis=-1))

    def descend(self, controller: Controller, updates: int) -> FloatArray:
        """Return the weights ``(n,)`` after ``updates`` updates, each of which is checked."""
        weights, generator = np.full(self.target.size, 1.0 / self.target.size), np.random.default_rng(0)
        low, high = controller.weight_floor, controller.weight_ceiling
        memory = np.array(controller.memory(self.target.size), dtype=np.float64)
        remembered: dict[str, Any] = {"memory": memory} if memory.size else {}
        for _ in range(updates):
            given = weights.copy()
            new = controller.update(given, self.losses, lambda: float(self.at(weights)), generator, **remembered)  # noqa: B023  (it is called now)
            is_unchanged = np.array_equal(given, weights)
            require(is_unchanged, "update() changes the weights that it is given; it must return new ones.")
            require(np.shape(new) == weights.shape, f"update() must return weights of shape {weights.shape}.")
            weights = np.asarray(new, dtype=np.float64)
            is_within = ((weights >= low) & (weights <= high)).all()
            require(is_within, f"weights must stay between {low:g} and {high:g}; clip() does that.")
        return weights


@question("controller")
def stays_within_bounds(controller: type[Controller]) -> None:
    """It returns weights of the right shape, within bounds, and does not modify those that it is given."""
    for size in SIZES:
        Bowl(size).descend(controller(), 10)


@question("controller")
def same_generator_same_bits(controller: type[Controller]) -> None:
    """All of its randomness comes from the generator."""
    for size in SIZES:
        first, second = (Bowl(size).descend(controller(), 5) for _ in range(2))
        require(np.array_equal(first, second), "run twice with the same generator, it ends with other weights.")


@question("controller", when=lambda controller: not controller.judges_play)
def descends(controller: type[Controller]) -> None:
    """It lowers a smooth loss."""
    for bowl in map(Bowl, SIZES):
        before, after = (float(bowl.at(bowl.descend(controller(), updates))) for updates in (0, UPDATES))
        moved = f"{UPDATES} updates bring the loss from {before:.3g} to {after:.3g}"
        require(after < before, f"with {bowl.target.size} weights, {moved}.")


@question("controller")
def cmd_resumes(controller: type[Controller]) -> None:
    """CMD with it can be divided, stopped and resumed bit for bit."""
    pieces_do_not_matter(lambda: CMD(controller=controller))
    resumes(lambda: CMD(controller=controller))


@question("convex function")
def is_convex(convex: ConvexFunction) -> None:
    """Its derivative is finite, rises and can be inverted from epsilon to 1."""
    for epsilon in EPSILONS:
        convex.psi(epsilon)


@question("convex function")
def steps_are_optimal(convex: ConvexFunction) -> None:
    """Mirror steps satisfy the optimality conditions.

    If p is the step for scores A and scale B, then A(a) - B psi'(p(a)) is the same for all actions played more than
    epsilon, and not greater for the others.
    """
    generator = np.random.default_rng(0)
    for epsilon, size, scale in product(EPSILONS, (2, 3, 7), (0.1, 1.0, 10.0)):
        scores = generator.normal(size=size)
        policy = mirror_step(scores, scale, convex, epsilon=epsilon)
        require(abs(policy.sum() - 1.0) <= 1e-9, f"a mirror step of {scores} sums to {policy.sum()!r}.")
        slopes = scale * np.asarray(convex.derivative(policy), dtype=np.float64)
        multipliers, largest = scores - slopes, np.abs(scores).max() + np.abs(slopes).max()
        inner = policy > epsilon * (1 + 1e-6)
        errors = np.ptp(multipliers[inner]), (multipliers[~inner] - multipliers[inner].min()).max(initial=0.0)
        message = f"a mirror step of {scores} misses the optimum by {max(errors):.3g}."
        require(max(errors) <= TOLERANCE * largest, message)


@question("convex function")
def runs(convex: ConvexFunction) -> None:
    """Mirror descent with it gives valid policies, and the same bits twice."""
    for game in sample_games():
        algorithm: Algorithm = GMD(convex=convex).configured(game, ITERATIONS)
        first, second = (algorithm.policy(game, _run(game, algorithm)) for _ in range(2))
        require(np.array_equal(first, second), f"run twice on {game.name!r}, it ends with another policy.")
        require(
            (first > 0.0).all() and np.isfinite(first).all(),
            f"on {game.name!r} its policies are not all positive.",
        )


@question("convex function", when=lambda convex: convex.function is not None)
def function_and_derivative_agree(convex: ConvexFunction) -> None:
    """Its derivative is the slope of the given psi."""
    assert convex.function is not None
    x, step = np.linspace(0.05, 0.95, 19), 1e-6
    slopes = (np.asarray(convex.function(x + step)) - np.asarray(convex.function(x - step))) / (2 * step)
    derivative = np.asarray(convex.derivative(x))
    error = np.abs(slopes - derivative) / (1 + np.abs(derivative))
    worst = int(error.argmax())
    message = f"psi' is {derivative[worst]:.9g} at {x[worst]:.3g}, where the slope of psi is {slopes[worst]:.9g}."
    require(error[worst] <= 1e-7, message)
