"""The policies that a page shows, with what a best response gains at each decision point, as far as there is room."""

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
from gamebench.report.entries import Entry
from gamebench.report.explorer import explore
from gamebench.report.page.arrays import packed
from gamebench.report.page.reading import Folder

OVERHEAD = 160
"""Bytes around the numbers of a policy."""


class Games:
    """Games by the descriptions of runs, each loaded once; or why it cannot be."""

    def __init__(self) -> None:
        self._loaded: dict[str, Game | str] = {}

    def of(self, description: Mapping[str, Any]) -> Game | str:
        """The game, or a sentence."""
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
    """What the explorer has."""

    games: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The text beside the numbers, by fingerprint."""
    policies: list[dict[str, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """For want of room, by game."""
    impossible: dict[str, str] = field(default_factory=dict)
    """Why the policies of a game cannot be shown."""


def by_importance(folder: Folder) -> list[Entry]:
    """Each seed once: the lowest of each method before any other, plain methods before variants."""
    counted: Counter[tuple[str, str]] = Counter()
    ranked = []
    once: dict[tuple[str, str, int], Entry] = {}
    for entry in folder.entries:
        once.setdefault((entry.game, entry.method, entry.seed), entry)
    for entry in sorted(once.values(), key=lambda entry: entry.seed):
        place = counted[entry.game, entry.method]
        counted[entry.game, entry.method] += 1
        ranked.append((place, not folder.is_plain(entry), entry))
    return [entry for _, _, entry in sorted(ranked, key=lambda item: item[:2])]


def policies_of(folder: Folder, entries: Sequence[Entry], games: Games, room: int) -> Shown:
    """The policies of as many of ``entries``, first ones first, as fit into so many bytes."""
    shown = Shown()
    for entry in entries:
        game = games.of(folder.descriptions[entry.run.id])
        if isinstance(game, str):
            shown.impossible[entry.game] = game
            continue
        text = {} if game.fingerprint in shown.games else _text_of(game)
        cost = 11 * (game.num_sequences + 2 * game.num_decision_points) + OVERHEAD + len(json.dumps(text))
        if cost > room:
            shown.left_out[entry.game] += 1
            continue
        try:
            numbers = _numbers_of(entry, game)
        except Exception as error:  # a damaged file, or a game that is no longer the same
            shown.impossible[entry.game] = sentence(error)
            continue
        room -= cost
        shown.games |= {game.fingerprint: text} if text else {}
        about = {"game": folder.games[entry.game], "method": folder.methods[entry.method], "seed": entry.seed}
        shown.policies.append({**about, "of": game.fingerprint, "numbers": numbers})
    shown.policies.sort(key=lambda policy: (policy["game"], policy["method"], policy["seed"]))
    return shown


def _numbers_of(entry: Entry, game: Game) -> str:
    """Probabilities, then the reach of each decision point, then the gain of each."""
    policy = entry.run.policy(game)
    explored = explore(game, policy)
    return packed(np.concatenate([policy.probabilities, explored.reach, explored.gains]))


def _text_of(game: Game) -> dict[str, Any]:
    """Names of actions come in sets, since most decision points share them; ``first`` is where their numbers begin."""
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
