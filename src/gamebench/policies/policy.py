"""Joint policies of all players, as one probability per sequence."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import FAILURES, PolicyError, PolicyMismatchError, brief, file_errors_as
from gamebench.core.settings import SEED, checked, whole
from gamebench.games.game import Game, pickled_by_fields
from gamebench.games.names import as_game
from gamebench.games.teams.coordination import most_plans, plans_of, sampled_plan
from gamebench.policies.keys import PointKey, keys_of, point_at, points_at
from gamebench.system.files import DamagedFileError, arrays_as_bytes, load_arrays, write_atomically

if TYPE_CHECKING:
    import pandas
    from open_spiel.python.policy import TabularPolicy

    from gamebench.policies.functions_and_networks import Reads
    from gamebench.policies.mixture import Mixture

TOLERANCE = 1e-9
"""Largest accepted deviation from 1 of the sum of probabilities at a decision point."""
SINGLE_PRECISION = 1e-5
"""Tolerance for probabilities in single precision or from OpenSpiel; they are then rescaled."""
FORMAT = "gamebench policy 1"


def _refuse_change(*_: Any, **__: Any) -> Any:
    raise PolicyError(
        "A policy cannot be changed; copy its probabilities, p = np.array(policy.probabilities), change those at a "
        "decision point, p[point.sequences], and make a new policy, gb.Policy(game, p)."
    )


class ActionProbabilities(dict[str, float]):
    """Read-only mapping from action names to probabilities at one decision point."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse_change

    def __reduce__(self) -> tuple[Any, ...]:
        return ActionProbabilities, (dict(self),)


@dataclass(frozen=True, eq=False)
class Policy(Mapping[PointKey, Mapping[str, float]]):
    """Immutable joint policy of all players: one probability per sequence, ``probabilities[s]``.

    A policy is a mapping: ``policy[information_state]`` maps action names to probabilities. If several players share an
    information state, the key is a pair ``(player, information_state)``. A decision point and the name of an
    information set in a Gambit file are valid keys as well. Policies are equal if their games have the same fingerprint
    and their probabilities are the same.

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
        >>> len(policy), list(policy)[:3], "0pb" in policy
        (12, ['0', '0pb', '1'], True)
    """

    game: Game
    probabilities: FloatArray
    """Read-only array ``(S,)`` of probabilities that sum to 1 at each decision point."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", as_game(self.game))
        given = real_numbers(self.probabilities, "A policy is an array of numbers, one probability per sequence")
        if given.shape != (self.game.num_sequences,):
            raise PolicyError(
                f"A policy for {self.game.name!r} has {self.game.num_sequences} probabilities, one per sequence; got "
                f"an array of shape {given.shape}."
            )
        values = np.array(given, dtype=np.float64)
        if given.dtype in (np.float16, np.float32):
            values = rescaled(self.game, values)
        _check_probabilities(self.game, values)
        values.flags.writeable = False
        object.__setattr__(self, "probabilities", values)

    __reduce__ = pickled_by_fields

    def __getitem__(self, where: PointKey) -> Mapping[str, float]:
        """Return the probabilities of the actions at an information state or a decision point, by action name."""
        point = point_at(self.game, where)
        return ActionProbabilities(zip(point.actions, self.probabilities[point.sequences].tolist(), strict=True))

    def __contains__(self, where: object) -> bool:
        return len(points_at(self.game, where)) == 1

    def __iter__(self) -> Iterator[PointKey]:
        return keys_of(self.game)

    def __len__(self) -> int:
        return self.game.num_decision_points

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        is_same = np.array_equal(self.probabilities, other.probabilities)
        return is_same and (self.game is other.game or self.game.fingerprint == other.game.fingerprint)

    def __hash__(self) -> int:
        return hash((self.probabilities + 0.0).tobytes())  # -0.0 is equal to 0.0

    __setitem__ = __delitem__ = _refuse_change

    def check_plays(self, game: Game) -> None:
        """Raise unless the policy's game has the same fingerprint as ``game``."""
        if self.game is not game and self.game.fingerprint != game.fingerprint:
            raise mismatch(self.game.name, self.game.fingerprint, game, self.game.labels == game.labels)

    def as_batch(self) -> FloatArray:
        """Return the probabilities as a writable batch ``(1, S)`` for kernels."""
        return np.array(self.probabilities[None])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the probabilities, the game's name and its fingerprint to an ``.npz`` file."""
        file, content = _as_path(path), self.to_bytes()
        with file_errors_as(PolicyError, f"The policy cannot be written to {str(file)!r}"):
            write_atomically(file, content)

    def to_bytes(self) -> bytes:
        """Return the bytes that :meth:`save` writes."""
        metadata = {"format": FORMAT, "game": self.game.name, "fingerprint": self.game.fingerprint}
        return arrays_as_bytes(metadata, {"probabilities": self.probabilities})

    @staticmethod
    def load(path: str | os.PathLike[str], game: Game | str) -> Policy:
        """Read a policy of this game that was written by :meth:`save`."""
        return Policy.from_bytes(bytes_of_file(path), game, path)

    @staticmethod
    def from_bytes(content: bytes, game: Game | str, path: str | os.PathLike[str]) -> Policy:
        """Read a policy from the bytes of the file ``path``."""
        game = as_game(game)
        metadata, probabilities = _content_of(content, path)
        if metadata.get("fingerprint") != game.fingerprint:
            raise mismatch(str(metadata.get("game")), str(metadata.get("fingerprint")), game)
        return Policy(game, probabilities)

    def to_dict(self) -> dict[PointKey, dict[str, float]]:
        """Return the policy as a dictionary: information states to actions to probabilities.

        Examples:
            >>> import gamebench as gb
            >>> policy = gb.uniform_policy("kuhn_poker")
            >>> policy.to_dict()["0pb"]
            {'Pass': 0.5, 'Bet': 0.5}
        """
        return {key: dict(row) for key, row in self.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each action of each decision point.

        ``reach`` is the probability that the decision point is reached if everyone follows the policy.

        Examples:
            >>> import gamebench as gb
            >>> gb.uniform_policy("kuhn_poker").to_pandas().head(4)
               player information_state action  probability     reach
            0       0                 0   Pass          0.5  0.333333
            1       0                 0    Bet          0.5  0.333333
            2       0               0pb   Pass          0.5  0.083333
            3       0               0pb    Bet          0.5  0.083333
        """
        from gamebench.policies.tables import frame_of

        return frame_of(self)

    def to_open_spiel(self) -> TabularPolicy:
        """Return the policy as an OpenSpiel ``TabularPolicy`` for the original game.

        If that game is simultaneous, the policy is for its turn-based form. For a focal game, the other players play
        their fixed policies.
        """
        from gamebench.games.loading.openspiel import export_policy

        full, probabilities = self.game, self.probabilities
        if full.coordination is not None:
            raise PolicyError(
                f"A coordinator of {full.name!r} correlates the members of its team, which OpenSpiel's policies cannot "
                f"express; export the policies that policy.to_mixture() or policy.sample_plan(team, generator) return."
            )
        if full.focus is not None:
            own = full.focus.full_game.sequence_form.sequences_of(full.focus.player)
            probabilities = full.focus.others.copy()
            probabilities[own] = self.probabilities
            full = full.focus.full_game
        return export_policy(full, probabilities)

    @staticmethod
    def from_open_spiel(game: Game | str, policy: Any) -> Policy:
        """Return the policy of any object with ``action_probabilities(state)`` on the original game.

        If the original game is simultaneous, the object may be for that game or for its turn-based form. For a focal
        game, only the focal player's probabilities are read. For a game between coordinators, the object holds
        independent policies of the members.
        """
        from gamebench.policies.sources import as_policy

        game = as_game(game)
        if not callable(getattr(policy, "action_probabilities", None)):
            raise PolicyError(
                f"Expected an OpenSpiel policy with a method action_probabilities(state), got {brief(policy)}."
            )
        return as_policy(game, policy)

    @staticmethod
    def from_function(
        game: Game | str,
        function: Callable[..., Any],
        *,
        of: Reads | None = None,
        batch: bool | None = None,
        mask: bool | None = None,
    ) -> Policy:
        """Return the policy that a function plays; :func:`gamebench.agent` describes the arguments.

        Examples:
            >>> import gamebench as gb
            >>> def bluff(point):
            ...     return {"Bet": 0.3, "Pass": 0.7} if point.information_state == "0" else "Pass"
            >>> gb.Policy.from_function("kuhn_poker", bluff)["0"]
            {'Pass': 0.7, 'Bet': 0.3}
        """
        from gamebench.policies.functions_and_networks import agent
        from gamebench.policies.sources import as_policy

        return as_policy(game, agent(function, of=of, batch=batch, mask=mask))

    @staticmethod
    def from_dict(game: Game | str, table: Mapping[Any, Any], *, default: Any = None) -> Policy:
        """Return the policy in a table.

        Args:
            game: the game, or its name.
            table: maps information states, or names of information sets in a Gambit file, to actions and their
                probabilities, as a mapping or a list of pairs. If several players share an information state, the keys
                are (player, information state) or decision points.
            default: the policy where the table has no entry, such as ``"uniform"``; by default, gaps raise an error.

        Examples:
            >>> import gamebench as gb
            >>> policy = gb.Policy.from_dict("kuhn_poker", {"0": {"Bet": 0.3, "Pass": 0.7}}, default="uniform")
            >>> policy["0"], policy["1"]
            ({'Pass': 0.7, 'Bet': 0.3}, {'Pass': 0.5, 'Bet': 0.5})
        """
        from gamebench.policies.sources import read_table

        game = as_game(game)
        if not isinstance(table, Mapping):
            raise PolicyError(f"Expected a dictionary from information states to probabilities, got {brief(table)}.")
        return Policy(game, rescaled(game, read_table(game, table, range(game.num_players), default)))

    def sample_plan(self, team: int, generator: np.random.Generator | int = 0) -> Policy:
        """Draw a joint plan of a team from its coordinator's policy; return it as a policy of the members' game.

        The members of the team play pure strategies, with their first action at points that the plan never reaches.
        All other players play uniformly.

        Examples:
            >>> import gamebench as gb
            >>> game = gb.load_game("MCCKuhn-A", coordinated=True)
            >>> gb.uniform_policy(game).sample_plan(0, generator=3)
            Policy('MCCKuhn-A', 48 decision points)
        """
        from gamebench.policies.simple import uniform_policy

        full = _members_game(self.game)
        team = checked("The team", team, whole(0, self.game.num_players - 1), PolicyError)
        plan = sampled_plan(self.game, self.probabilities, team, generator_of(generator))
        is_planned = np.isin(full.sequence_form.players_of_decision_points(), full.teams[team])
        is_planned = np.repeat(is_planned, np.diff(full.sequence_form.first_sequences))
        return Policy(full, np.where(is_planned, plan, uniform_policy(full).probabilities))

    def to_mixture(self) -> Mixture:
        """Return the coordinators' policy as a mixture of joint policies of the members' game, exact up to rounding.

        In each joint policy, teams of several members play pure strategies, and a player without a team keeps its
        policy. Teams draw their plans independently, so two teams give a joint policy for each pair of plans.

        Examples:
            >>> import gamebench as gb
            >>> policy = gb.solve_exactly(gb.load_game("MCCKuhn-B", coordinated=True)).policy
            >>> mixture = policy.to_mixture()
            >>> mixture.game.name, gb.evaluate(mixture.game, mixture, "CCEGap") < 1e-12
            ('MCCKuhn-B', True)
        """
        from gamebench.policies.mixture import Mixture

        full = _members_game(self.game)
        most = most_plans(self.game)
        parts = [plans_of(self.game, self.probabilities, team, most) for team in range(len(full.teams))]
        if math.prod(len(part) for part in parts) > most:
            many = f"This policy of {self.game.name!r} mixes more than {most:,} joint plans"
            raise PolicyError(f"{many}; sample them with policy.sample_plan(team, generator).")
        chosen = list(product(*parts))
        policies = [Policy(full, np.sum([plan for plan, _ in plans], axis=0)) for plans in chosen]
        return Mixture(policies, [math.prod(weight for _, weight in plans) for plans in chosen])

    def __repr__(self) -> str:
        return f"Policy({self.game.name!r}, {self.game.num_decision_points} decision points)"

    def __str__(self) -> str:
        """Return a table of the first decision points."""
        from gamebench.policies.tables import text_of

        return text_of(self)

    def _repr_html_(self) -> str:
        from gamebench.policies.tables import html_of

        return html_of(self)


def bytes_of_file(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a policy file."""
    file = _as_path(path)
    with file_errors_as(PolicyError, f"The policy file {os.fspath(path)!r} cannot be read"):
        return file.read_bytes()


def _as_path(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path)
    except TypeError as error:
        raise PolicyError(f"The path of a policy file must be a string or a Path, not {brief(path)}.") from error


def _content_of(content: bytes, path: str | os.PathLike[str]) -> tuple[dict[str, Any], FloatArray]:
    """Return the metadata and the probabilities of a policy file."""
    try:
        metadata, arrays = load_arrays(Path(path), content)
    except DamagedFileError as error:
        raise PolicyError(f"The policy cannot be loaded: {error}.") from error
    if metadata.get("format") != FORMAT or "probabilities" not in arrays:
        raise PolicyError(f"{os.fspath(path)!r} is not a policy file in the format {FORMAT!r}.")
    return metadata, arrays["probabilities"]


def game_of_file(path: str | os.PathLike[str]) -> str:
    """Return the name of the game that a policy file is for."""
    return str(_content_of(bytes_of_file(path), path)[0].get("game"))


def generator_of(seed: int | np.random.Generator) -> np.random.Generator:
    """Return the random generator of a seed, or the generator itself."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise PolicyError(f"seed must be {SEED.range}, not {brief(seed)}.") from error


def _members_game(game: Game) -> Game:
    """Return the game of the members, for a policy of their coordinators."""
    if game.coordination is None:
        raise PolicyError(f"{game.name!r} is not a game between coordinators; load it with coordinated=True.")
    return game.coordination.full_game


def real_numbers(values: Any, rule: str) -> npt.NDArray[Any]:
    """Return the values as an array of integers, floats or booleans; an array is not copied.

    Complex numbers, strings and other objects raise an error that states ``rule``.
    """
    try:
        given = np.asarray(values)
    except FAILURES as error:
        raise PolicyError(f"{rule}.") from error
    if given.dtype.kind not in "biuf":
        raise PolicyError(f"{rule}, not of type {given.dtype}.")
    return given


def as_batch(game: Game, policies: npt.ArrayLike) -> FloatArray:
    """Return a batch of probabilities ``(B, S)`` in the form kernels need: contiguous, writable and of checked shape.

    Kernels do not check bounds, and any other array type would make Numba compile them again.
    """
    given = real_numbers(policies, "A batch of policies is an array of numbers")
    if given.ndim != 2 or given.shape[1] != game.num_sequences:
        raise PolicyError(
            f"A batch of policies for {game.name!r} has the shape (policies, {game.num_sequences}), not {given.shape}."
        )
    return np.require(given, dtype=np.float64, requirements=["C", "W"])


def sums_at_points(game: Game, values: FloatArray) -> FloatArray:
    """Return for each sequence the sum of ``values`` over its decision point ``(S,)``."""
    firsts = game.sequence_form.first_sequences
    return np.repeat(np.add.reduceat(values, firsts[:-1]), np.diff(firsts)) if game.num_sequences else values


def rescaled(game: Game, values: FloatArray) -> FloatArray:
    """Rescale the rows whose sums differ from 1 only by single-precision rounding, such as those of networks."""
    totals = sums_at_points(game, values)
    is_rounded = (np.abs(totals - 1.0) > TOLERANCE) & (np.abs(totals - 1.0) < SINGLE_PRECISION)
    return values / np.where(is_rounded, totals, 1.0)


def _check_probabilities(game: Game, values: FloatArray) -> None:
    """Raise :class:`PolicyError` unless ``values`` ``(S,)`` are probabilities at each decision point."""
    problems = (
        (np.isnan(values), "contain NaN"),
        (values < 0, "are negative"),
        (~(np.abs(sums_at_points(game, values) - 1.0) <= TOLERANCE), "do not sum to 1"),
    )
    for is_wrong, problem in problems:
        if is_wrong.any():
            point = game.decision_points[game.sequence_form.decision_points_of_sequences()[np.argmax(is_wrong)]]
            raise PolicyError(
                f"The probabilities at the information state {point.information_state!r} of {game.name!r} {problem}: "
                f"{values[point.sequences].tolist()}."
            )


def mismatch(name: str, fingerprint: str, game: Game, same_choices: bool = False) -> PolicyMismatchError:
    """Return the error for a policy of another game."""
    advice = "load the game that it was made for, with the same version of OpenSpiel"
    if same_choices:
        advice = "their decision points and actions are the same, so Policy(game, policy.probabilities) converts it"
    return PolicyMismatchError(
        f"This policy is for the game {name!r} ({fingerprint}), not for {game.name!r} ({game.fingerprint}); {advice}."
    )
