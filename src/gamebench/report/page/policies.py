"""The policies that a page shows, as many as fit, and what a best response gains at each decision point.

The counterfactual value of a decision point I of player i is i's expected payoff from I on, weighted by the probability
that chance and the other players reach I. With v_BR(I) for i's best response from I on and v_pi(I) for the policy,
gain(I) = v_BR(I) - v_pi(I). Summed over i's first decision points, the gains are what i could gain by deviating alone:
max V_i(., pi_-i) - V_i(pi).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gamebench import kernels
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import FAILURES, sentence
from gamebench.experiments.plan import game_of
from gamebench.experiments.spec import GameSpec, RunSpec
from gamebench.games.game import Game
from gamebench.policies import Policy, action_values
from gamebench.report.page.numbers import Numbering, packed
from gamebench.report.tracks import FinishedRun

OVERHEAD = 160
"""Bytes of a policy in addition to its numbers."""
LEAST_TEXT = 13
"""Minimum bytes of a decision point's text: an entry in each of four lists."""


class Games:
    """Games by the descriptions of runs, each loaded once, or the reason why it cannot be loaded."""

    def __init__(self) -> None:
        self._loaded: dict[str, Game | str] = {}

    def of(self, description: Mapping[str, Any]) -> Game | str:
        """Return the game, or a sentence that explains why it cannot be loaded."""
        spec = RunSpec.parse(description["spec"])
        key = spec.model_dump_json(include={*GameSpec.model_fields})
        if key not in self._loaded:
            try:
                self._loaded[key] = game_of(spec)
            except FAILURES as error:  # whatever it is: the page is made without this game's policies
                self._loaded[key] = sentence(error)
        return self._loaded[key]


def by_importance(runs: Sequence[FinishedRun]) -> list[FinishedRun]:
    """Return each seed once: the lowest of each method before any other, plain methods before variants."""
    counted: Counter[tuple[str, str]] = Counter()
    ranked = []
    once: dict[tuple[str, str, int], FinishedRun] = {}
    for run in runs:
        once.setdefault((run.game, run.method, run.seed), run)
    for run in sorted(once.values(), key=lambda run: run.seed):
        ranked.append((counted[run.game, run.method], not run.is_plain, run))
        counted[run.game, run.method] += 1
    return [run for _, _, run in sorted(ranked, key=lambda item: item[:2])]


def policies_of(runs: Sequence[FinishedRun], numbering: Numbering, loaded: Games, room: int) -> dict[str, Any]:
    """Return the policies of the first runs, as many as fit into ``room`` bytes.

    They come with the texts of games by fingerprint and, by the game's name, the number of policies left out for lack
    of room and the reason why policies cannot be shown.
    """
    texts: dict[str, dict[str, Any]] = {}
    sizes: dict[str, int] = {}
    shown: dict[str, dict[str, Any]] = {}
    policies = []
    left_out: Counter[str] = Counter()
    impossible: dict[str, str] = {}
    for run in runs:
        game = loaded.of(run.description)
        if isinstance(game, str):
            impossible[run.game] = game
            continue
        cost = 11 * (game.num_sequences + 2 * game.num_decision_points) + OVERHEAD
        if game.fingerprint not in shown:  # a game may have a million points: make its text only if it may fit
            if game.fingerprint not in texts and cost + LEAST_TEXT * game.num_decision_points <= room:
                texts[game.fingerprint] = _text_of(game)
                sizes[game.fingerprint] = len(json.dumps(texts[game.fingerprint]))
            cost += sizes.get(game.fingerprint, room)
        if cost > room:
            left_out[run.game] += 1
            continue
        try:
            policy = run.stored.policy(game)
            numbers = packed(np.concatenate([policy.probabilities, *explore(game, policy)]))
        except Exception as error:  # a damaged file, or a game that is no longer the same
            impossible[run.game] = sentence(error)
            continue
        room -= cost
        shown[game.fingerprint] = texts[game.fingerprint]
        policies.append({**numbering.of(run), "seed": run.seed, "of": game.fingerprint, "numbers": numbers})
    policies.sort(key=lambda policy: (policy["game"], policy["method"], policy["seed"]))
    return {"games": shown, "policies": policies, "leftOut": dict(left_out), "impossible": impossible}


def explore(game: Game, policy: Policy) -> tuple[FloatArray, FloatArray]:
    """Return the counterfactual reach of each decision point and the gain there, ``(D,)`` each.

    The reach is the probability that chance and the other players reach the point. The gain is what the point's
    player gains by a best response from there on; it is never negative. A player deviates alone, without its team; a
    coordinator deviates with its whole team.
    """
    q, reach = action_values(game, policy)
    if not game.num_decision_points:
        return reach, np.empty(0)
    form, firsts = game.sequence_form, game.sequence_form.first_sequences[:-1]
    x = np.empty(game.num_sequences + game.num_players)
    best = np.zeros_like(x)
    kernels.realise(form, np.array(policy.probabilities), x)
    kernels.differentiate_all(game.paying_endings, x, best)
    for player in range(game.num_players):
        kernels.back_up_best(form, player, best)
    best_values = np.maximum.reduceat(best[: game.num_sequences], firsts)
    policy_values = reach * np.add.reduceat(policy.probabilities * q, firsts)
    return reach, np.maximum(best_values - policy_values, 0.0)


def _text_of(game: Game) -> dict[str, Any]:
    """Return the texts of a game; many points share a set of actions, and a point's numbers begin at ``first``."""
    sets: dict[tuple[str, ...], int] = {}
    points = game.decision_points
    teams = game.teams if game.coordination is None else game.coordination.full_game.teams
    kinds = [sets.setdefault(point.actions, len(sets)) for point in points]
    return {
        "teams": [list(team) for team in teams],
        "hasTeams": game.has_teams,
        "coordinated": game.coordination is not None,
        "players": [point.player for point in points],
        "states": [point.information_state for point in points],
        "kinds": kinds,
        "actions": [list(names) for names in sets],
        "first": [point.first_sequence for point in points],
    }
