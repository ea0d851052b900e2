"""All data of a page: its script computes only how to draw them."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gamebench.experiments import provenance
from gamebench.experiments.descriptions import ASKED_FOR, about_request, label_of
from gamebench.experiments.store import Status, Store
from gamebench.games.game import Game
from gamebench.report.charts import FLOOR, chart_of, floor_of
from gamebench.report.page.configurations import settings_of_methods, variations
from gamebench.report.page.numbers import (
    Numbering,
    aggregates_of,
    leaderboards_of,
    lines_of,
    profiles_of,
    scores_of,
    weights_of,
)
from gamebench.report.page.policies import Games, by_importance, policies_of
from gamebench.report.page.several_folders import names_of, told_apart
from gamebench.report.scores import best_first, most_interesting
from gamebench.report.standings import CLOSE, EQUAL, NEGLIGIBLE, as_power
from gamebench.report.styles import method_order, styles
from gamebench.report.tracks import TIE, FinishedRun, Results, axes_of, fair_axis, finished_run

LIMIT = 7_500_000
"""Maximum bytes of a whole page; policies get what the curves leave."""
FEW_METHODS = 12
"""Up to this number, all methods are in colour when a page is opened; if there are more, only the best are."""
MOST_IN_COLOUR = 8
"""Number of methods in colour in that case: the best over all games, and the winners of games."""
MOST_AGGREGATED = 40
"""Maximum number of methods, best first, that are compared in pairs and over time: each pair costs time and space."""
FRAME = 190_000
"""Bytes reserved for the page's own text, style and script."""
FATE = "are in the charts and in the score table, but not in the leaderboard, games won, time to epsilon and aggregates"
"""What happens to runs whose main measure is not their game's."""
CLAIM = ("name", "statement", "where", "test", "measured", "verdict", "remark")


@dataclass(frozen=True)
class Folder:
    """One or more folders of results, read."""

    results: Results
    counts: Mapping[str, int]
    """The number of runs by status."""
    failures: list[dict[str, str]]
    """Which runs failed, and why."""
    notes: list[str]
    """Sentences about what is left out."""

    @staticmethod
    def read(*stores: Store) -> Folder:
        """Read descriptions, records and curves; the notes name what cannot be read."""
        counts: Counter[str] = Counter()
        failures, notes = [], []
        by_folder: dict[str, list[FinishedRun]] = {}
        for name, store in zip(names_of([store.folder for store in stores]), stores, strict=True):
            where = f" in {name}" if len(stores) > 1 else ""
            runs = by_folder.setdefault(name, [])
            for stored in store.runs():
                look = stored.look()
                counts[look.status.value] += 1
                if look.status is Status.FAILED:
                    run = f"{label_of(look.description)}{where}"
                    failures.append({"run": run, "message": look.record.get("message", "")})
                elif look.status is Status.DAMAGED:
                    notes.append(f"A run{where} is left out: {look.sentence}")
                elif look.status is Status.FINISHED:
                    runs += finished_run(stored, look.description, look.record, look.curve())
        every = told_apart(by_folder)
        every.sort(key=lambda run: (run.game, method_order(run.method), run.seed, run.stored.id))
        results = Results(every)
        return Folder(results, dict(counts), failures, [*notes, *results.notes])


def payload_of(
    *stores: Store, claims: Sequence[Mapping[str, Any]] = (), notes: Sequence[str] = (), command: str = ""
) -> dict[str, Any]:
    """Return all data of a page, ready for JSON; ``command`` makes the page again."""
    folder, loaded = Folder.read(*stores), Games()
    results = folder.results
    numbering = Numbering(results.games, sorted(results.methods, key=method_order))
    main = results.main_measures
    about_games = [_about_game(name, main[name], runs[0], loaded) for name, runs in results.by_game.items()]
    compared = results.main_contests
    important = by_importance([run for run in results.runs if not run.iterate])  # other iterates have no stored policy
    lower = {name: run.is_lower_better(name) for run in results.runs for name in run.curve.measures}
    ranking = best_first(compared)
    best = most_interesting(compared, MOST_IN_COLOUR)
    most = {*list(ranking)[:MOST_AGGREGATED], *best}
    aggregated = [
        replace(contest, tracks={name: track for name, track in contest.tracks.items() if name in most})
        for contest in compared
    ]
    axes = axes_of(results.tracks.values())
    data = {
        "axes": [{"column": axis.column, "label": axis.label, "unit": axis.unit} for axis in axes],
        "x": fair_axis(results.measured).column,
        "ties": {"most": TIE, "equal": EQUAL.words, "close": CLOSE.words, "negligible": as_power(NEGLIGIBLE)},
        "floor": FLOOR,
        "games": about_games,
        "methods": _about_methods(results, numbering.methods, best),
        "few": FEW_METHODS,
        "best": [numbering.methods[method] for method in best],
        "ranking": [{"method": numbering.methods[method], **about} for method, about in ranking.items()],
        "variations": variations(results, numbering) if ranking else [],
        "measures": {name: {"lower": lower[name]} for name in sorted(lower)},
        "alphas": weights_of(important, numbering),
        "lines": lines_of(chart_of(results), numbering),
        "leaderboards": leaderboards_of(compared, axes, numbering),
        "scores": scores_of(results.contests, main, axes, numbering),
        "aggregated": len(most),
        "profiles": profiles_of(aggregated, axes, numbering),
        "aggregates": aggregates_of(aggregated, numbering),
        "claims": [{key: str(claim.get(key, "")) for key in CLAIM} for claim in claims],
        "background": _background(stores, folder, command),
        "arrays": list(numbering.arrays),
        "notes": [*map(str, notes), *folder.notes, *results.about_other_measures(FATE)],
    }
    data["explorer"] = policies_of(important, numbering, loaded, LIMIT - FRAME - len(json.dumps(data)))
    return data


def _about_game(name: str, measure: str, run: FinishedRun, games: Games) -> dict[str, Any]:
    game = games.of(run.description)
    about: dict[str, Any] = {"name": name, "category": run.category, "measure": measure}
    if least := floor_of(name, "NashConv"):
        about["least"] = least
    if isinstance(game, Game):
        about |= {"players": game.num_players, "points": game.num_decision_points}
    return about


def _about_methods(results: Results, methods: Mapping[str, int], best: Iterable[str]) -> list[dict[str, Any]]:
    """Return the names, hyper-parameters and styles of methods; methods in colour look as they do in figures."""
    first = {run.method: run for run in reversed(results.runs)}
    looks = styles(methods, best)
    settings = settings_of_methods(results)
    return [
        {
            "name": method,
            "algorithm": first[method].algorithm,
            "plain": first[method].is_plain,
            "settings": settings[method],
            **asdict(looks[method]),
        }
        for method in methods
    ]


# --- where the numbers come from -------------------------------------------------------------------------------------
def command_for(folders: Iterable[Path], output: Path | None, title: str | None) -> str:
    """Return the command that makes the page again."""
    options = [] if output is None else ["--output", _short(output.absolute())]
    options += [] if title is None else ["--title", title]
    options += [word for file in provenance.plugins() for word in ("--plugin", _short(Path(file)))]
    return shlex.join(["gamebench", "report", *map(_short, folders), *options])


def _background(stores: Sequence[Store], folder: Folder, command: str) -> dict[str, Any]:
    """Return what was run and how, the number of runs by status, and how to make the page again."""
    runs = {run.stored.id: run for run in folder.results.runs}.values()  # a run may have several methods
    records = [run.record for run in runs]
    requests = [_request_of(run) for run in runs]
    return {
        "folders": [_short(store.folder) for store in stores],
        "command": command,
        "made": provenance.now(),
        "madeWith": provenance.versions()["gamebench"],
        "started": min((str(record["started"]) for record in records if record.get("started")), default=None),
        "ended": max((str(record["ended"]) for record in records if record.get("ended")), default=None),
        "seconds": sum(float(record["seconds"]) for record in records),
        "wallSeconds": sum(float(record.get("wall_seconds", 0.0)) for record in records),
        "counts": {status.value: folder.counts.get(status.value, 0) for status in Status},
        "shown": len(records),
        "failures": folder.failures,
        "versions": _tally(_listed(record.get("versions", {})) for record in records),
        "machines": _tally(_listed(record.get("machine", {})) for record in records),
        "requests": [
            {"name": name.capitalize(), "texts": _tally(request.get(name, "") for request in requests)}
            for name in dict.fromkeys(name for request in requests for name in request)
        ],
    }


def _short(folder: Path) -> str:
    """Return the path from the current folder, or the name alone: a page must not reveal other paths."""
    current = Path.cwd()
    return str(folder.relative_to(current)) if folder.is_relative_to(current) else folder.name


def _request_of(run: FinishedRun) -> dict[str, str]:
    """Return the request behind a run; paths outside the current folder are reduced to their names."""
    request = about_request(run.description)
    if ASKED_FOR in request:
        parts = (word.rpartition("=") for word in shlex.split(request[ASKED_FOR]))
        words = ((*start, _short(Path(last)) if Path(last).is_absolute() else last) for *start, last in parts)
        request[ASKED_FOR] = shlex.join(map("".join, words))
    return request


def _listed(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def _tally(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Return the different texts that are not empty, each with its number of runs, the most frequent first."""
    return [{"text": text, "runs": runs} for text, runs in Counter(texts).most_common() if text]
