"""Policies: one probability per sequence, for all players at once; and mixtures of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gamebench.checks import SEED
from gamebench.errors import PolicyError, PolicyMismatchError, UnknownNameError, brief
from gamebench.files import DamagedFileError, arrays_as_bytes, arrays_from_bytes, write_atomically
from gamebench.games.game import DecisionPoint, Game, made_anew
from gamebench.games.tree import FloatArray

if TYPE_CHECKING:
    from open_spiel.python.policy import TabularPolicy

TOLERANCE = 1e-9
"""How far the probabilities at a decision point may be from summing to 1."""
SINGLE_PRECISION = 1e-5
"""The same for probabilities from single precision or from OpenSpiel, which are then scaled."""
FORMAT = "gamebench policy 1"


def _refuse_change(*_: Any, **__: Any) -> Any:
    raise PolicyError(
        "A policy cannot be changed; change a copy, p = np.array(policy.probabilities), where p[point.sequences] are "
        "those of a decision point, and make another policy of it, gb.Policy(game, p)."
    )


class ActionProbabilities(dict[str, float]):
    """Action names and their probabilities at one decision point, to be read: a policy does not change."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse_change

    def __reduce__(self) -> tuple[Any, ...]:
        return ActionProbabilities, (dict(self),)


@dataclass(frozen=True, eq=False)
class Policy:
    """A joint policy of all players of a game: ``probabilities[s]`` for each sequence ``s``.

    ``policy["..."]`` reads it by information state, as a mapping from action names to probabilities.
    """

    game: Game
    probabilities: FloatArray
    """``(S,)``, at least 0, summing to 1 over each decision point; cannot be written to."""

    def __post_init__(self) -> None:
        check_game(self.game)
        given = real_numbers(self.probabilities, "A policy is an array of numbers, one probability per sequence")
        _check_shape(self.game, given)
        values = np.array(given, dtype=np.float64)
        if given.dtype in (np.float16, np.float32):
            values = without_rounding(self.game, values)
        check_probabilities(self.game, values)
        values.flags.writeable = False
        object.__setattr__(self, "probabilities", values)

    __reduce__ = made_anew

    def __getitem__(self, where: str | DecisionPoint) -> Mapping[str, float]:
        """Action names and their probabilities at an information state or a decision point of the game."""
        point = self._point(where)
        return ActionProbabilities(zip(point.actions, self.probabilities[point.sequences].tolist(), strict=True))

    __setitem__ = __delitem__ = _refuse_change

    def _point(self, where: str | DecisionPoint) -> DecisionPoint:
        known = self.game.points_by_information_state
        if isinstance(where, DecisionPoint):
            if where not in known.get(where.information_state, ()):
                raise PolicyError(f"{self.game.name!r} has no decision point {where.information_state!r} like that.")
            return where
        if not isinstance(where, str):
            raise PolicyError(f"A policy is read by information state or decision point, not by {brief(where)}.")
        if where not in known:
            raise UnknownNameError(f"information state of {self.game.name!r}", where, known)
        if len(known[where]) > 1:
            raise PolicyError(
                f"Several players of {self.game.name!r} have the information state {where!r}; ask for one of "
                f"game.decision_points instead."
            )
        return known[where][0]

    def check_plays(self, game: Game) -> None:
        """Raise unless this is a policy for ``game``, by fingerprint."""
        if self.game is not game and self.game.fingerprint != game.fingerprint:
            raise _mismatch(self.game.name, self.game.fingerprint, game, self.game.labels == game.labels)

    def as_batch(self) -> FloatArray:
        """``(1, S)`` the probabilities as a batch of one policy that kernels take and anyone may write to."""
        batch: FloatArray = self.probabilities[None].copy()
        return batch

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an ``.npz`` file: the probabilities, and the game's name and fingerprint as JSON."""
        try:
            write_atomically(Path(path), self.to_bytes())
        except OSError as error:
            raise PolicyError(f"The policy cannot be written to {os.fspath(path)!r}: {error.strerror}.") from error

    def to_bytes(self) -> bytes:
        """What :meth:`save` writes."""
        metadata = {"format": FORMAT, "game": self.game.name, "fingerprint": self.game.fingerprint}
        return arrays_as_bytes(metadata, {"probabilities": self.probabilities})

    @staticmethod
    def load(path: str | os.PathLike[str], game: Game) -> Policy:
        """Read what :meth:`save` wrote; ``game`` must be the same game."""
        check_game(game)
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise PolicyError(f"The policy file {os.fspath(path)!r} cannot be read: {error.strerror}.") from error
        return Policy.from_bytes(content, game, path)

    @staticmethod
    def from_bytes(content: bytes, game: Game, path: str | os.PathLike[str]) -> Policy:
        """The same from the content of the file ``path``."""
        check_game(game)
        try:
            metadata, arrays = arrays_from_bytes(content, Path(path))
        except DamagedFileError as error:
            raise PolicyError(f"The policy cannot be loaded: {error}.") from error
        if metadata.get("format") != FORMAT or "probabilities" not in arrays:
            raise PolicyError(f"{os.fspath(path)!r} is not a policy file of this version ({FORMAT}).")
        if metadata.get("fingerprint") != game.fingerprint:
            raise _mismatch(str(metadata.get("game")), str(metadata.get("fingerprint")), game)
        return Policy(game, arrays["probabilities"])

    def to_open_spiel(self) -> TabularPolicy:
        """OpenSpiel's ``TabularPolicy`` on the original game (turn-based if that was simultaneous).

        For a focal game the focal player's rows are this policy and the others' rows what they were fixed to.
        """
        from gamebench.games.openspiel import export_policy

        full, probabilities = self.game, self.probabilities
        if full.focus is not None:
            own = full.focus.full_game.tree.sequences_of(full.focus.player)
            probabilities = full.focus.others.copy()
            probabilities[own] = self.probabilities
            full = full.focus.full_game
        return export_policy(full, probabilities)

    @staticmethod
    def from_open_spiel(game: Game, policy: Any) -> Policy:
        """The policy of anything with ``action_probabilities(state)`` on the original game.

        If that is simultaneous, a policy of the simultaneous game will do, and one of its turn-based form. For a focal
        game only the focal player is read; the others stay what they were fixed to.
        """
        from gamebench.games.openspiel import import_policy

        check_game(game)
        if game.focus is None:
            probabilities = import_policy(game, policy)
        else:
            full, player = game.focus.full_game, game.focus.player
            probabilities = import_policy(full, policy, player)[full.tree.sequences_of(player)]
        return Policy(game, without_rounding(game, probabilities))

    def __repr__(self) -> str:
        return f"Policy({self.game.name!r}, {self.game.num_decision_points} decision points)"


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of joint policies: ``policies[t]`` is played, by all players together, with ``weights[t]``.

    Weights are scaled to sum to 1; without weights all policies count the same.
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

    __reduce__ = made_anew

    @property
    def game(self) -> Game:
        """The game that the policies play."""
        return self.policies[0].game

    def check_plays(self, game: Game) -> None:
        """Raise unless the policies are for ``game``, by fingerprint."""
        self.policies[0].check_plays(game)


def uniform_policy(game: Game) -> Policy:
    """Every action at a decision point with the same probability."""
    check_game(game)
    counts = np.diff(game.tree.first_sequences)
    return Policy(game, np.repeat(1.0 / counts, counts))


def random_policy(game: Game, seed: int | np.random.Generator = 0) -> Policy:
    """Probabilities drawn uniformly from the simplex of each decision point."""
    check_game(game)
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise PolicyError(f"seed must be {SEED.range}, not {brief(seed)}.") from error
    firsts = game.tree.first_sequences
    weights = rng.exponential(size=game.num_sequences)
    totals = np.add.reduceat(weights, firsts[:-1]) if game.num_sequences else weights
    return Policy(game, weights / np.repeat(totals, np.diff(firsts)))


def check_game(game: object) -> None:
    """Raise :class:`PolicyError` unless ``game`` is one."""
    if not isinstance(game, Game):
        raise PolicyError(f"A policy needs a Game, such as load_game() returns, not {type(game).__name__}.")


def checked_policy(game: Game, policy: Policy) -> Policy:
    """``policy``, after a check that it is one, and one for ``game``."""
    check_game(game)
    if not isinstance(policy, Policy):
        raise PolicyError(f"A Policy is needed here, not {type(policy).__name__}.")
    policy.check_plays(game)
    return policy


def real_numbers(values: Any, rule: str) -> npt.NDArray[Any]:
    """The values as an array; one is not copied: its shape, which may be anything, is checked before that.

    Whole and real numbers and truth values are welcome. Complex numbers would lose a part, and texts and objects are
    not taken for the numbers that they might mean; ``rule`` says so.
    """
    try:
        given = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise PolicyError(f"{rule}.") from error
    if given.dtype.kind not in "biuf":
        raise PolicyError(f"{rule}, not of type {given.dtype}.")
    return given


def as_batch(game: Game, policies: npt.ArrayLike) -> FloatArray:
    """``(B, S)`` probabilities as kernels want them: of the right shape, in one piece, and writable.

    Kernels do not check what they index, and compile anew for every other kind of array.
    """
    given = real_numbers(policies, "A batch of policies is an array of numbers")
    if given.ndim != 2 or given.shape[1] != game.num_sequences:
        raise PolicyError(
            f"A batch of policies for {game.name!r} has the shape (policies, {game.num_sequences}), not {given.shape}."
        )
    return np.require(given, dtype=np.float64, requirements=["C", "W"])


def without_rounding(game: Game, values: FloatArray) -> FloatArray:
    """Scale rows whose sums miss 1 by no more than single precision explains: what networks play is a policy too."""
    if values.shape != (game.num_sequences,) or not game.num_sequences:
        return values
    firsts = game.tree.first_sequences
    sums = np.add.reduceat(values, firsts[:-1])
    is_rounded = (np.abs(sums - 1.0) > TOLERANCE) & (np.abs(sums - 1.0) < SINGLE_PRECISION)
    scaled: FloatArray = values / np.repeat(np.where(is_rounded, sums, 1.0), np.diff(firsts))
    return scaled


def _check_shape(game: Game, values: npt.NDArray[Any]) -> None:
    if values.shape != (game.num_sequences,):
        raise PolicyError(
            f"A policy for {game.name!r} has {game.num_sequences} probabilities, one per sequence; these are of shape "
            f"{values.shape}."
        )


def check_probabilities(game: Game, values: FloatArray) -> None:
    """Raise :class:`PolicyError` unless ``values`` are a policy of ``game``."""
    _check_shape(game, values)
    if game.num_sequences == 0:
        return
    firsts = game.tree.first_sequences
    sums = np.add.reduceat(values, firsts[:-1])
    problems = (
        (np.isnan(values), "contain NaN"),
        (values < 0, "are negative"),
        (np.repeat(~(np.abs(sums - 1.0) <= TOLERANCE), np.diff(firsts)), "do not sum to 1"),
    )
    for is_wrong, what in problems:
        if is_wrong.any():
            point = game.decision_points[int(np.searchsorted(firsts, np.argmax(is_wrong), side="right")) - 1]
            raise PolicyError(
                f"The probabilities at the information state {point.information_state!r} of {game.name!r} {what}: "
                f"{values[point.sequences].tolist()}."
            )


def _mismatch(name: str, fingerprint: str, game: Game, same_choices: bool = False) -> PolicyMismatchError:
    advice = "load the game that it was made for, with the same version of OpenSpiel"
    if same_choices:
        advice = "the choices are the same, so Policy(game, policy.probabilities) carries it over"
    return PolicyMismatchError(
        f"This policy is for the game {name!r} ({fingerprint}), not for {game.name!r} ({game.fingerprint}); {advice}."
    )
