"""Independent policies of a team's members as a policy of their coordinator."""

from __future__ import annotations

from gamebench.core.errors import PolicyError
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.games.teams.coordination import lifted
from gamebench.policies.policy import Policy
from gamebench.policies.sources import AnyPolicy, policy_for


def lift(game: Game | str, policy: AnyPolicy) -> Policy:
    """Return independent policies of the members as a policy of their coordinators, which plays exactly the same.

    At a belief, the coordinator prescribes an action with the probability that the member's own policy gives it.

    Args:
        game: a game between coordinators (:func:`with_coordination`).
        policy: a policy, as :func:`evaluate` takes it, for the game with teams, or for the game without them.

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
            f"A policy is lifted to a game between coordinators (coordinated=True), not to {game.name!r}."
        )
    full = game.coordination.full_game
    if isinstance(policy, Policy) and policy.game.labels == full.labels and policy.game.focus is None:
        policy = Policy(full, policy.probabilities)  # the choices are those of the game without teams
    return Policy(game, lifted(game, policy_for(full, policy).probabilities))
