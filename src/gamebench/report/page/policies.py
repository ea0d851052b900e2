"""The policies that a page shows, with the gains of a best response, as far as there is room."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gamebench.errors import PASSING, sentence
from gamebench.experiments.plan import game_of
from gamebench.experiments.spec import GameSpec, RunSpec
from gamebench.games.game import Game
from gamebench.report.explorer import explore
from gamebench.report.finished_runs import FinishedRun
from gamebench.report.page.chart_data import packed

OVERHEAD = 160
"""Bytes of a policy beside its numbers."""


class Games:
    """Games by the descriptions of runs, each loaded once, or the reason why it cannot be loaded."""

    def __init__(self) -> None:
        self._loaded: dict[str, Game | str] = {}

    def of(self, description: Mapping[str, Any]) -> Game | str:
        """Return the game, or a sentence that says why it cannot be loaded."""
        spec = description["spec"]
        key = json.dumps([spec[name] for name in GameSpec.model_fields])
        if key not in self._loaded:
            self._loaded[key] = _load(spec)
        return self._loaded[key]


def _load(spec: Mapping[str, Any]) -> Game | str:
    try:
        return game_of(RunSpec.parse(spec))
    except PASSING:
        raise
    except BaseException as error:  # whatever it is: the rest of the page is there
        return sentence(error)


@dataclass
class Shown:
    """The content of the policy explorer."""

    games: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The texts beside the numbers, by fingerprint."""
    policies: list[dict[str, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """The number of policies left out for want of room, by game."""
    impossible: dict[str, str] = field(default_factory=dict)
    """The reason why policies of a game cannot be shown."""


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


def policies_of(
    runs: Sequence[FinishedRun], games: Mapping[str, int], methods: Mapping[str, int], loaded: Games, room: int
) -> Shown:
    """Return the policies of as many runs, the first ones first, as fit into ``room`` bytes."""
    shown = Shown()
    for run in runs:
        game = loaded.of(run.description)
        if isinstance(game, str):
            shown.impossible[run.game] = game
            continue
        text = {} if game.fingerprint in shown.games else _text_of(game)
        cost = 11 * (game.num_sequences + 2 * game.num_decision_points) + OVERHEAD + len(json.dumps(text))
        if cost > room:
            shown.left_out[run.game] += 1
            continue
        try:
            numbers = _numbers_of(run, game)
        except Exception as error:  # a damaged file, or a game that is no longer the same
            shown.impossible[run.game] = sentence(error)
            continue
        room -= cost
        shown.games |= {game.fingerprint: text} if text else {}
        about = {"game": games[run.game], "method": methods[run.method], "seed": run.seed}
        shown.policies.append({**about, "of": game.fingerprint, "numbers": numbers})
    shown.policies.sort(key=lambda policy: (policy["game"], policy["method"], policy["seed"]))
    return shown


def _numbers_of(run: FinishedRun, game: Game) -> str:
    """Return probabilities, then the reach of each decision point, then the gain of each."""
    policy = run.stored.policy(game)
    explored = explore(game, policy)
    return packed(np.concatenate([policy.probabilities, explored.reach, explored.gains]))


def _text_of(game: Game) -> dict[str, Any]:
    """Return the texts of a game; many points share a set of actions, and a point's numbers begin at ``first``."""
    sets: dict[tuple[str, ...], int] = {}
    points = game.decision_points
    kinds = [sets.setdefault(point.actions, len(sets)) for point in points]
    return {
        "teams": [list(team) for team in game.teams],
        "hasTeams": game.has_teams,
        "players": [point.player for point in points],
        "states": [point.information_state for point in points],
        "kinds": kinds,
        "actions": [list(names) for names in sets],
        "first": [point.first_sequence for point in points],
    }
