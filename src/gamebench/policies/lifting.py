"""Lift the independent policies of a team's members to a policy of their coordinator."""

from __future__ import annotations

from gamebench.core.errors import PolicyError
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.games.teams.coordination import lifted
from gamebench.policies.policy import Policy
from gamebench.policies.sources import AnyPolicy, policy_for


def lift(game: Game | str, policy: AnyPolicy) -> Policy:
    """Return the coordinators' policy that plays exactly as the members' independent policies do.

    At each belief, the coordinator prescribes an action with the probability that the member's own policy gives it.

    Args:
        game: a game between coordinators (:func:`with_coordination`).
        policy: a policy in any form that :func:`evaluate` takes; it may be for the game with teams or the one without.

    Examples:
        >>> import gamebench as gb
        >>> teams = gb.load_game("MCCKuhn-B")
        >>> game = gb.with_coordination(teams)
        >>> policy = gb.random_policy(teams, seed=1)
        >>> lifted = gb.lift(game, policy)
        >>> gb.expected_values(teams, policy).round(6).tolist(), gb.expected_values(game, lifted).round(6).tolist()
        ([-0.147502, 0.295005, -0.147502], [-0.147502, 0.295005])
    """
    game = as_game(game)
    if game.coordination is None:
        raise PolicyError(
            f"lift() needs a game between coordinators, and {game.name!r} is not one; load it with coordinated=True."
        )
    full = game.coordination.full_game
    if isinstance(policy, Policy) and policy.game.labels == full.labels and policy.game.focus is None:
        policy = Policy(full, policy.probabilities)  # made for the game without teams, which has the same choices
    return Policy(game, lifted(game, policy_for(full, policy).probabilities))
