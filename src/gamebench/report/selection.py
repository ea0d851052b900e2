"""The contests that a figure or a table shows, selected from any source of results.

>>> import gamebench as gb
>>> results = [gb.solve("Kuhn", name, 8) for name in ("CFR", "CFR+")]
>>> [contest] = select(results).contests
>>> contest.game, contest.measure, list(contest.tracks)
('Kuhn', 'NashConv', ['CFR', 'CFR+'])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from gamebench.analysis.measures import lower_is_better
from gamebench.analysis.measures.standard import MEASURES_BY_CATEGORY
from gamebench.core.choices import AXES
from gamebench.core.errors import SettingError, StoreError, UnknownNameError, brief, first_few
from gamebench.experiments.descriptions import description_of
from gamebench.experiments.store import Store
from gamebench.experiments.sweeps import Outcome
from gamebench.games.game import Category
from gamebench.report.labelled import LabelledCurve, curves_of, curves_of_results, is_frame, named, needs_label
from gamebench.report.page.payload import Folder
from gamebench.report.tracks import Contest, FinishedRun, Results, Track, finished_run
from gamebench.runs.curve import TIMES, Curve

Names: TypeAlias = str | Iterable[str] | None
"""A name, several, or ``None`` for all."""


@dataclass(frozen=True)
class Selection:
    """The contests of a figure or table, and sentences about what is not in them."""

    contests: list[Contest]
    notes: list[str]

    @property
    def methods(self) -> list[str]:
        """The methods of all contests, each once."""
        return list(dict.fromkeys(method for contest in self.contests for method in contest.tracks))


def select(source: Any, games: Names = None, methods: Names = None, measure: Names = None) -> Selection:
    """Return a contest for each game and measure, with the methods in the order in which they were asked for.

    Without ``measure``, each game is compared by its main measure.
    """
    pool = _pool_of(source)
    measured = {(contest.game, contest.measure): contest for contest in pool.contests if contest.tracks}
    if not measured:
        raise StoreError("There are no finished runs with a measure to show.")
    chosen_games = _chosen("game", games, dict.fromkeys(game for game, _ in measured))
    chosen_methods = _chosen("method", methods, pool.methods, _is_variant)
    chosen_measures = _chosen("measure", measure, dict.fromkeys(name for _, name in measured))
    contests, notes = list[Contest](), [*pool.notes]
    for game in chosen_games:
        for name in [pool.main[game]] if measure is None else chosen_measures:
            tracks = measured[game, name].tracks if (game, name) in measured else {}
            known = {method: tracks[method] for method in chosen_methods if method in tracks}
            if known:
                contests.append(replace(measured[game, name], tracks=known))
            elif games is not None or measure is not None:
                notes.append(f"None of the methods was measured by {name} on {game}.")
    if measure is None:
        run_on = {(game, method) for (game, _), contest in measured.items() for method in contest.tracks}
        lacking = [
            f"{method} on {contest.game} (no {contest.measure})"
            for contest in contests
            for method in chosen_methods
            if (contest.game, method) in run_on and method not in contest.tracks
        ]
        if lacking:
            notes.append(f"Not shown, because they lack the game's main measure: {first_few(lacking)}.")
    if not contests:
        raise StoreError("None of these methods was run on these games with this measure.")
    return Selection(contests, notes)


def finished_runs_of(outcome: Outcome) -> Iterator[FinishedRun]:
    """Yield the finished runs of a sweep under the methods that it asked for."""
    for plan in outcome.plans:
        if plan.id in outcome.records:
            stored = outcome.store.run(plan.id)
            yield from finished_run(stored, description_of(plan), outcome.records[plan.id], stored.curve())


def _chosen(
    kind: str, names: Names, known: Iterable[str], stands_for: Callable[[str, str], bool] = lambda name, other: False
) -> list[str]:
    """Return the names in the order in which they were asked for; case does not matter.

    A name that is not among them selects all names that it stands for.
    """
    there = list(known)
    if names is None:
        return there
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted or not all(isinstance(name, str) for name in wanted):
        raise SettingError(f"The {kind}s to show must be names, not {brief(names)}.")
    by_letters = {name.casefold(): name for name in reversed(there)} | {name: name for name in there}
    chosen: dict[str, None] = {}
    for name in wanted:
        one = by_letters.get(name) or by_letters.get(name.casefold())
        found = [other for other in there if stands_for(name, other)] if one is None else [one]
        if not found:
            raise UnknownNameError(f"{kind} among the results", name, there)
        chosen |= dict.fromkeys(found)
    return list(chosen)


def _is_variant(name: str, method: str) -> bool:
    """Whether a method is this algorithm with some hyper-parameters, ``CMD radius=1`` for ``CMD``."""
    return method.casefold().startswith(f"{name.casefold()} ")


# --- where results come from -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Pool:
    """The content of a source."""

    contests: list[Contest]
    """One for each game and measure."""
    main: dict[str, str]
    """The main measure of each game."""
    methods: list[str]
    """All methods, in their order."""
    notes: list[str]


def _pool_of(source: Any) -> _Pool:
    parts = source if isinstance(source, list | tuple) else [source]
    if parts and all(isinstance(part, str | os.PathLike | Store) for part in parts):
        folder = Folder.read(*(part if isinstance(part, Store) else Store(part) for part in parts))
        return _pool_of_runs(folder.results, folder.notes)
    if isinstance(source, Outcome):
        results = Results(finished_runs_of(source))
        return _pool_of_runs(results, results.notes)
    if is_frame(source):
        notes: list[str] = []
        return _pool_of_curves(curves_of_results(source, notes), notes)
    if isinstance(source, Mapping) and not isinstance(source, Curve):
        if {*source} & {*TIMES}:
            raise needs_label("a dictionary")
        several = ((str(label), part if isinstance(part, list | tuple) else [part]) for label, part in source.items())
        return _pool_of_curves(
            [curve for label, parts in several for part in parts for curve in curves_of(part, label)]
        )
    return _pool_of_curves(named([curve for part in parts for curve in curves_of(part)]))


def _pool_of_runs(results: Results, notes: list[str]) -> _Pool:
    methods = dict.fromkeys(method for _, method, _ in results.tracks)
    return _Pool(results.measured, results.main_measures, list(methods), notes)


def _pool_of_curves(parts: list[LabelledCurve], notes: Iterable[str] = ()) -> _Pool:
    curves: dict[tuple[str, str], dict[str, dict[int, Curve]]] = {}
    categories, methods = dict[str, str](), dict[str, None]()
    for part in _with_games(parts):
        categories[part.game] = part.category
        for label, curve in part.iterates():
            for measure in curve.measures:
                by_seed = curves.setdefault((part.game, measure), {}).setdefault(label, {})
                seed = len(by_seed) if part.seed is None else part.seed
                if seed in by_seed:
                    raise SettingError(
                        f"Two runs of {label} on {part.game or 'a game'} have the seed {seed}; label them as two "
                        "methods, {'one': first, 'other': second}."
                    )
                by_seed[seed], methods[label] = curve, None
    contests = []
    for (game, measure), by_method in curves.items():
        tracks = {label: Track.of(game, label, measure, by_seed) for label, by_seed in by_method.items()}
        for track in tracks.values():
            if not track.values.size:
                where = f"{track.method} on {game or 'a game'}"
                raise SettingError(f"The seeds of {where} have no {AXES[track.axis].label} in common.")
        contests.append(Contest(game, categories[game], measure, lower_is_better(measure), tracks))
    main = {game: _main_of(categories[game], [name for other, name in curves if other == game]) for game, _ in curves}
    return _Pool(contests, main, list(methods), list(notes))


def _with_games(parts: list[LabelledCurve]) -> list[LabelledCurve]:
    """Return the curves; those that name no game get the only game that the others name."""
    games = {part.game: part.category for part in parts if part.game}
    nameless = next((part for part in parts if not part.game), None)
    if nameless is None or not games:
        return parts
    if len(games) > 1:
        who = nameless.label or nameless.algorithm
        raise SettingError(f"{who} does not name its game; add a column 'game' with one of {first_few(list(games))}.")
    [(game, category)] = games.items()
    return [part if part.game else replace(part, game=game, category=category) for part in parts]


def _main_of(category: str, measures: list[str]) -> str:
    """Return the main measure of a category if there is one and it was measured, otherwise the first measure."""
    main = MEASURES_BY_CATEGORY[Category(category)].main if category in list(Category) else ""
    return main if main in measures else measures[0]
