"""All that a page knows, as data: what its script shows and never computes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gamebench.experiments.store import Store
from gamebench.games.game import Game
from gamebench.measures import main_measure
from gamebench.report.entries import Entry, in_order
from gamebench.report.figures import FLOOR
from gamebench.report.page.arrays import ArrayPool
from gamebench.report.page.background import background
from gamebench.report.page.comparing import aggregates_of, profiles_of, scores_of
from gamebench.report.page.lines import alphas_of, lines_of
from gamebench.report.page.policies import Games, by_importance, policies_of
from gamebench.report.page.reading import Folder, read_folder
from gamebench.report.scores import Trials
from gamebench.report.styles import styles

LIMIT = 7_500_000
"""Bytes of a whole page; what is left beside the curves is for policies."""
FRAME = 150_000
"""Bytes for the page's own text, style and script, amply."""
CLAIM = ("name", "statement", "where", "test", "measured", "verdict", "remark")


def payload_of(
    store: Store, claims: Sequence[Mapping[str, Any]] = (), notes: Sequence[str] = (), command: str = ""
) -> dict[str, Any]:
    """Everything, ready to become JSON; ``command`` makes the page again."""
    folder, pool, games = read_folder(store), ArrayPool(), Games()
    about_games = [_about_game(name, folder, games) for name in folder.games]
    main = {game["name"]: game["measure"] for game in about_games}
    compared = Trials([entry for entry in folder.entries if entry.measure == main[entry.game]])
    important = by_importance(folder)
    alphas, alphas_left_out = alphas_of(folder, important, pool)
    known = {
        "floor": FLOOR,
        "games": about_games,
        "methods": _about_methods(folder),
        "measures": _about_measures(folder),
        "lines": lines_of(folder, pool),
        "scores": scores_of(folder, main),
        "profiles": profiles_of(compared, folder, pool),
        "aggregates": aggregates_of(compared, folder, pool),
        "alphas": {"runs": alphas, "leftOut": alphas_left_out},
        "claims": [{key: str(claim.get(key, "")) for key in CLAIM} for claim in claims],
        "background": background(store, folder, command),
        "arrays": pool.texts,
        "notes": [*map(str, notes), *folder.notes, *_about_other_measures(folder, main)],
    }
    shown = policies_of(folder, important, games, LIMIT - FRAME - len(json.dumps(known)))
    known["explorer"] = {
        "games": shown.games,
        "policies": shown.policies,
        "leftOut": dict(shown.left_out),
        "impossible": shown.impossible,
    }
    return known


def _about_game(name: str, folder: Folder, games: Games) -> dict[str, Any]:
    entries = [entry for entry in folder.entries if entry.game == name]
    description = folder.descriptions[entries[0].run.id]
    game = games.of(description)
    measure = _shown_measure(entries, folder, main_measure(game) if isinstance(game, Game) else "")
    about: dict[str, Any] = {"name": name, "category": entries[0].category, "measure": measure}
    if isinstance(game, Game):
        about |= {"players": game.num_players, "points": game.num_decision_points}
    return about


def _shown_measure(entries: Sequence[Entry], folder: Folder, papers: str) -> str:
    """The paper's measure for such a game, if some run has it; else what most runs, plain ones first, go by."""
    if any(papers in folder.measures_of(entry) for entry in entries):
        return papers
    plain = [entry.measure for entry in entries if folder.is_plain(entry)]
    [(measure, _)] = Counter(plain or [entry.measure for entry in entries]).most_common(1)
    return measure


def _about_other_measures(folder: Folder, main: Mapping[str, str]) -> list[str]:
    """A sentence about runs that cannot be compared with the others of their game: else a game would count twice."""
    others = [entry for entry in folder.entries if entry.measure != main[entry.game]]
    if not others:
        return []
    which = ", ".join(in_order(f"{entry.measure} on {entry.game}" for entry in others))
    return [
        f"Runs that go by another measure than their game's main one ({which}; {len(others)} in all) are in the charts "
        f"and in the score table, but have no part in games won, time to epsilon and aggregates."
    ]


def _about_methods(folder: Folder) -> list[dict[str, Any]]:
    looks = styles(folder.methods)
    first = {entry.method: entry for entry in reversed(folder.entries)}
    return [
        {
            "name": method,
            "algorithm": folder.algorithm(first[method]),
            "plain": folder.is_plain(first[method]),
            "colour": looks[method].colour,
            "marker": looks[method].marker,
            "dash": looks[method].dash,
        }
        for method in folder.methods
    ]


def _about_measures(folder: Folder) -> dict[str, dict[str, Any]]:
    """Every measure that some run has."""
    lower = {name: entry.is_lower(name) for entry in folder.entries for name in folder.measures_of(entry)}
    return {name: {"lower": lower[name]} for name in sorted(lower)}
