"""Joint policies of all players, as one probability per sequence, mixtures of them, and their values."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.errors import PolicyError, PolicyMismatchError, UnknownNameError, brief, file_errors_as
from gamebench.files import DamagedFileError, arrays_as_bytes, load_arrays, write_atomically
from gamebench.games.coordination import lifted, most_plans, plans_of, sampled_plan
from gamebench.games.game import DecisionPoint, Game, pickled_by_fields
from gamebench.games.tree import FloatArray
from gamebench.settings import SEED, checked, whole

if TYPE_CHECKING:
    from open_spiel.python.policy import TabularPolicy

TOLERANCE = 1e-9
"""Largest accepted deviation from 1 of the sum of probabilities at a decision point."""
SINGLE_PRECISION = 1e-5
"""The same for probabilities in single precision or from OpenSpiel, which are then rescaled."""
FORMAT = "gamebench policy 1"


def _refuse_change(*_: Any, **__: Any) -> Any:
    raise PolicyError(
        "A policy cannot be changed; change a copy, p = np.array(policy.probabilities), where p[point.sequences] are "
        "the probabilities at a decision point, and make a new policy, gb.Policy(game, p)."
    )


class ActionProbabilities(dict[str, float]):
    """Read-only mapping from action names to probabilities at one decision point."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse_change

    def __reduce__(self) -> tuple[Any, ...]:
        return ActionProbabilities, (dict(self),)


@dataclass(frozen=True, eq=False)
class Policy:
    """Immutable joint policy of all players: one probability per sequence, ``probabilities[s]``.

    ``policy[information_state]`` is a mapping from action names to probabilities.

    Examples:
        >>> import gamebench as gb
        >>> import numpy as np
        >>> game = gb.load_game("kuhn_poker")
        >>> probabilities = np.array(gb.uniform_policy(game).probabilities)
        >>> point = game.decision_points[0]
        >>> probabilities[point.sequences] = 0.75, 0.25
        >>> policy = gb.Policy(game, probabilities)
        >>> policy[point.information_state]
        {'Pass': 0.75, 'Bet': 0.25}
    """

    game: Game
    probabilities: FloatArray
    """Read-only array ``(S,)`` of probabilities that sum to 1 at each decision point."""

    def __post_init__(self) -> None:
        check_game(self.game)
        given = real_numbers(self.probabilities, "A policy is an array of numbers, one probability per sequence")
        if given.shape != (self.game.num_sequences,):
            raise PolicyError(
                f"A policy for {self.game.name!r} has {self.game.num_sequences} probabilities, one per sequence; these "
                f"are of shape {given.shape}."
            )
        values = np.array(given, dtype=np.float64)
        if given.dtype in (np.float16, np.float32):
            values = _rescaled(self.game, values)
        _check_probabilities(self.game, values)
        values.flags.writeable = False
        object.__setattr__(self, "probabilities", values)

    __reduce__ = pickled_by_fields

    def __getitem__(self, where: str | DecisionPoint) -> Mapping[str, float]:
        """Return action names and probabilities at an information state or a decision point."""
        known = self.game.points_by_information_state
        if isinstance(where, DecisionPoint):
            if where not in known.get(where.information_state, ()):
                raise PolicyError(f"{self.game.name!r} does not have this decision point, {where.information_state!r}.")
            point = where
        elif not isinstance(where, str):
            raise PolicyError(f"A policy is read by information state or decision point, not by {brief(where)}.")
        elif where not in known:
            raise UnknownNameError(f"information state of {self.game.name!r}", where, known)
        elif len(known[where]) > 1:
            raise PolicyError(
                f"Several players of {self.game.name!r} have the information state {where!r}; use one of "
                f"game.decision_points instead."
            )
        else:
            point = known[where][0]
        return ActionProbabilities(zip(point.actions, self.probabilities[point.sequences].tolist(), strict=True))

    __setitem__ = __delitem__ = _refuse_change

    def check_plays(self, game: Game) -> None:
        """Raise unless this is a policy for ``game``, by fingerprint."""
        if self.game is not game and self.game.fingerprint != game.fingerprint:
            raise _mismatch(self.game.name, self.game.fingerprint, game, self.game.labels == game.labels)

    def as_batch(self) -> FloatArray:
        """Return the probabilities as a writable batch ``(1, S)`` for kernels."""
        return np.array(self.probabilities[None])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an ``.npz`` file with the probabilities, the game's name and its fingerprint."""
        content = self.to_bytes()
        with file_errors_as(PolicyError, f"The policy cannot be written to {os.fspath(path)!r}"):
            write_atomically(Path(path), content)

    def to_bytes(self) -> bytes:
        """Return the content of the file that :meth:`save` writes."""
        metadata = {"format": FORMAT, "game": self.game.name, "fingerprint": self.game.fingerprint}
        return arrays_as_bytes(metadata, {"probabilities": self.probabilities})

    @staticmethod
    def load(path: str | os.PathLike[str], game: Game) -> Policy:
        """Read a file that :meth:`save` wrote for the same game."""
        with file_errors_as(PolicyError, f"The policy file {os.fspath(path)!r} cannot be read"):
            content = Path(path).read_bytes()
        return Policy.from_bytes(content, game, path)

    @staticmethod
    def from_bytes(content: bytes, game: Game, path: str | os.PathLike[str]) -> Policy:
        """Read a policy from the content of the file ``path``."""
        check_game(game)
        try:
            metadata, arrays = load_arrays(Path(path), content)
        except DamagedFileError as error:
            raise PolicyError(f"The policy cannot be loaded: {error}.") from error
        if metadata.get("format") != FORMAT or "probabilities" not in arrays:
            raise PolicyError(f"{os.fspath(path)!r} is not a policy file of this version ({FORMAT}).")
        if metadata.get("fingerprint") != game.fingerprint:
            raise _mismatch(str(metadata.get("game")), str(metadata.get("fingerprint")), game)
        return Policy(game, arrays["probabilities"])

    def to_open_spiel(self) -> TabularPolicy:
        """Return OpenSpiel's ``TabularPolicy`` on the original game, in turn-based form if that is simultaneous.

        For a focal game, the other players' rows are their fixed policy.
        """
        from gamebench.games.openspiel import export_policy

        full, probabilities = self.game, self.probabilities
        if full.coordination is not None:
            raise PolicyError(
                f"A coordinator of {full.name!r} correlates the members of its team, which no policy of OpenSpiel can; "
                f"policy.to_mixture() and policy.sample_plan(team, generator) give policies that have to_open_spiel()."
            )
        if full.focus is not None:
            own = full.focus.full_game.tree.sequences_of(full.focus.player)
            probabilities = full.focus.others.copy()
            probabilities[own] = self.probabilities
            full = full.focus.full_game
        return export_policy(full, probabilities)

    @staticmethod
    def from_open_spiel(game: Game, policy: Any) -> Policy:
        """Return the policy of any object with ``action_probabilities(state)`` on the original game.

        If the original game is simultaneous, the object may be for that game or for its turn-based form. For a focal
        game, only the focal player's probabilities are read. For a game between coordinators, the object has the
        members' independent policies.
        """
        from gamebench.games.openspiel import import_policy

        check_game(game)
        if game.coordination is not None:
            members = Policy.from_open_spiel(game.coordination.full_game, policy)
            return Policy(game, lifted(game, members.probabilities))
        if game.focus is None:
            probabilities = import_policy(game, policy)
        else:
            full, player = game.focus.full_game, game.focus.player
            probabilities = import_policy(full, policy, player)[full.tree.sequences_of(player)]
        return Policy(game, _rescaled(game, probabilities))

    def sample_plan(self, team: int, generator: np.random.Generator | int = 0) -> Policy:
        """Return a joint plan of a team, drawn at random as its coordinator would: a policy of the members' game.

        The members of the team play purely, and play their first action where the plan never leads. All other players
        play uniformly.

        Examples:
            >>> import gamebench as gb
            >>> game = gb.load_game("MCCKuhn-A", coordinated=True)
            >>> gb.uniform_policy(game).sample_plan(0, generator=3)
            Policy('MCCKuhn-A', 48 decision points)
        """
        full = _members_game(self.game)
        team = checked("The team", team, whole(0, self.game.num_players - 1), PolicyError)
        plan = sampled_plan(self.game, self.probabilities, team, _generator(generator))
        is_planned = np.isin(full.tree.players_of_decision_points(), full.teams[team])
        is_planned = np.repeat(is_planned, np.diff(full.tree.first_sequences))
        return Policy(full, np.where(is_planned, plan, uniform_policy(full).probabilities))

    def to_mixture(self) -> Mixture:
        """Return the coordinators' policy as a mixture of joint policies of the members' game; exact up to rounding.

        Teams of several members play purely in each of them; a player without a team keeps its policy. Teams draw their
        plans independently, so with two teams there is a joint policy for each pair of plans.

        Examples:
            >>> import gamebench as gb
            >>> policy = gb.solve_exactly(gb.load_game("MCCKuhn-B", coordinated=True)).policy
            >>> mixture = policy.to_mixture()
            >>> mixture.game.name, gb.evaluate(mixture.game, mixture, "CCEGap") < 1e-12
            ('MCCKuhn-B', True)
        """
        full = _members_game(self.game)
        most = most_plans(self.game)
        parts = [plans_of(self.game, self.probabilities, team, most) for team in range(len(full.teams))]
        if math.prod(len(part) for part in parts) > most:
            many = f"This policy of {self.game.name!r} mixes more than {most:,} joint plans"
            raise PolicyError(f"{many}; draw some of them with policy.sample_plan(team, generator).")
        chosen = list(product(*parts))
        policies = [Policy(full, np.sum([plan for plan, _ in plans], axis=0)) for plans in chosen]
        return Mixture(policies, [math.prod(weight for _, weight in plans) for plans in chosen])

    def __repr__(self) -> str:
        return f"Policy({self.game.name!r}, {self.game.num_decision_points} decision points)"


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixture of joint policies: all players together follow ``policies[t]`` with probability ``weights[t]``.

    The weights are scaled to sum to 1; they are equal if not given.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> mixture = gb.Mixture([gb.uniform_policy(game), gb.random_policy(game)], weights=[3, 1])
        >>> mixture.weights
        array([0.75, 0.25])
        >>> round(gb.evaluate(game, mixture, "CCEGap"), 4)
        0.848
    """

    policies: tuple[Policy, ...]
    weights: FloatArray

    def __init__(self, policies: Sequence[Policy], weights: npt.ArrayLike | None = None) -> None:
        members = () if isinstance(policies, Policy) else tuple(policies)
        if not members or not all(isinstance(policy, Policy) for policy in members):
            raise PolicyError("A mixture needs one or more policies: Mixture(policies, weights).")
        for policy in members[1:]:
            policy.check_plays(members[0].game)
        given = real_numbers(
            np.ones(len(members)) if weights is None else weights, "The weights of a mixture must be numbers"
        )
        if given.shape != (len(members),):
            raise PolicyError(f"A mixture of {len(members)} policies needs as many weights, not {given.shape}.")
        shares = np.array(given, dtype=np.float64)
        if not np.isfinite(shares).all() or (shares < 0).any() or not shares.any():
            raise PolicyError("The weights of a mixture must be finite, at least 0 and not all 0.")
        shares /= shares.max()  # first, so that the sum cannot overflow
        shares /= shares.sum()
        shares.flags.writeable = False
        object.__setattr__(self, "policies", members)
        object.__setattr__(self, "weights", shares)

    __reduce__ = pickled_by_fields

    @property
    def game(self) -> Game:
        """Game of the policies."""
        return self.policies[0].game

    def check_plays(self, game: Game) -> None:
        """Raise unless the policies are for ``game``, by fingerprint."""
        self.policies[0].check_plays(game)


def uniform_policy(game: Game) -> Policy:
    """Return the policy that plays all actions of a decision point with equal probability.

    Examples:
        >>> import gamebench as gb
        >>> gb.uniform_policy(gb.load_game("kuhn_poker"))["0pb"]
        {'Pass': 0.5, 'Bet': 0.5}
    """
    check_game(game)
    counts = np.diff(game.tree.first_sequences)
    return Policy(game, np.repeat(1.0 / counts, counts))


def random_policy(game: Game, seed: int | np.random.Generator = 0) -> Policy:
    """Return a policy drawn uniformly at random from the simplex of each decision point.

    Examples:
        >>> import gamebench as gb
        >>> {action: round(p, 4) for action, p in gb.random_policy(gb.load_game("kuhn_poker"), seed=1)["0pb"].items()}
        {'Pass': 0.9362, 'Bet': 0.0638}
    """
    check_game(game)
    rng = _generator(seed)
    weights = rng.exponential(size=game.num_sequences)
    return Policy(game, weights / _totals(game, weights))


def expected_values(game: Game, policy: Policy) -> FloatArray:
    """Return each player's expected payoff ``(N,)``: V_i = sum_z c(z) u_i(z) prod_j x(s_j(z)).

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> gb.expected_values(game, gb.uniform_policy(game)).round(4).tolist()
        [0.125, -0.125]
    """
    values: FloatArray = kernels.expected_values(tuple(game.tree), checked_policy(game, policy).as_batch())[0]
    return values


def action_values(game: Game, policy: Policy) -> tuple[FloatArray, FloatArray]:
    """Return action values Q ``(S,)`` and counterfactual reach probabilities ``(D,)``.

    Q(I,a) is the acting player's expected payoff if it plays a at I, given that I is reached and everyone follows the
    policy otherwise; it is 0 if the counterfactual reach is 0. The counterfactual reach of I is the probability that
    chance and the other players contribute to reaching I.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> q, reach = gb.action_values(game, gb.uniform_policy(game))
        >>> king = game.points_by_information_state["2"][0]  # the first player has to act and holds the king
        >>> q[king.sequences].tolist()
        [0.75, 1.5]
        >>> round(float(reach[king.index]), 4)
        0.3333

    References:
        M. Zinkevich et al., "Regret Minimization in Games with Incomplete Information", NeurIPS 2007.
    """
    probabilities = np.array(checked_policy(game, policy).probabilities)
    x, q, m = np.empty((3, game.num_sequences + game.num_players))
    reach = np.empty(game.num_decision_points)
    everyone = np.ones(game.num_players, dtype=np.bool_)
    kernels.action_values(game.tree, game.endings, everyone, probabilities, x, q, m, reach)
    return q[: game.num_sequences], reach


def _generator(seed: int | np.random.Generator) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise PolicyError(f"seed must be {SEED.range}, not {brief(seed)}.") from error


def _members_game(game: Game) -> Game:
    """Return the game of the members, for a policy of their coordinators."""
    if game.coordination is None:
        raise PolicyError(f"{game.name!r} is not a game between coordinators; load it with coordinated=True.")
    return game.coordination.full_game


def check_game(game: object) -> None:
    """Raise :class:`PolicyError` unless ``game`` is a game."""
    if not isinstance(game, Game):
        raise PolicyError(f"A policy needs a Game, as returned by load_game(), not {type(game).__name__}.")


def checked_policy(game: Game, policy: Policy) -> Policy:
    """Return ``policy``; raise unless it is a policy for ``game``."""
    check_game(game)
    if not isinstance(policy, Policy):
        raise PolicyError(f"A Policy is required, not {type(policy).__name__}.")
    policy.check_plays(game)
    return policy


def real_numbers(values: Any, rule: str) -> npt.NDArray[Any]:
    """Return the values as an array of integers, floats or booleans; an array is not copied.

    Complex numbers, texts and objects raise an error that states ``rule``.
    """
    try:
        given = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise PolicyError(f"{rule}.") from error
    if given.dtype.kind not in "biuf":
        raise PolicyError(f"{rule}, not of type {given.dtype}.")
    return given


def as_batch(game: Game, policies: npt.ArrayLike) -> FloatArray:
    """Return a batch of probabilities ``(B, S)`` as kernels need it: contiguous and writable, with a checked shape.

    Kernels do not check bounds, and compile again for every other kind of array.
    """
    given = real_numbers(policies, "A batch of policies is an array of numbers")
    if given.ndim != 2 or given.shape[1] != game.num_sequences:
        raise PolicyError(
            f"A batch of policies for {game.name!r} has the shape (policies, {game.num_sequences}), not {given.shape}."
        )
    return np.require(given, dtype=np.float64, requirements=["C", "W"])


def _totals(game: Game, values: FloatArray) -> FloatArray:
    """Return for each sequence the sum of ``values`` over its decision point ``(S,)``."""
    firsts = game.tree.first_sequences
    return np.repeat(np.add.reduceat(values, firsts[:-1]), np.diff(firsts)) if game.num_sequences else values


def _rescaled(game: Game, values: FloatArray) -> FloatArray:
    """Rescale decision points whose sums miss 1 by no more than single precision explains, as in neural networks."""
    totals = _totals(game, values)
    is_rounded = (np.abs(totals - 1.0) > TOLERANCE) & (np.abs(totals - 1.0) < SINGLE_PRECISION)
    return values / np.where(is_rounded, totals, 1.0)


def _check_probabilities(game: Game, values: FloatArray) -> None:
    """Raise :class:`PolicyError` unless ``values`` ``(S,)`` are probabilities at each decision point."""
    problems = (
        (np.isnan(values), "contain NaN"),
        (values < 0, "are negative"),
        (~(np.abs(_totals(game, values) - 1.0) <= TOLERANCE), "do not sum to 1"),
    )
    for is_wrong, problem in problems:
        if is_wrong.any():
            point = game.decision_points[game.tree.decision_points_of_sequences()[np.argmax(is_wrong)]]
            raise PolicyError(
                f"The probabilities at the information state {point.information_state!r} of {game.name!r} {problem}: "
                f"{values[point.sequences].tolist()}."
            )


def _mismatch(name: str, fingerprint: str, game: Game, same_choices: bool = False) -> PolicyMismatchError:
    advice = "load the game that it was made for, with the same version of OpenSpiel"
    if same_choices:
        advice = "the choices are the same, so Policy(game, policy.probabilities) carries it over"
    return PolicyMismatchError(
        f"This policy is for the game {name!r} ({fingerprint}), not for {game.name!r} ({game.fingerprint}); {advice}."
    )
