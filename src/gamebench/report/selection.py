"""What a figure or a table is about: contests, chosen from whatever holds results.

>>> import gamebench as gb
>>> results = [gb.solve("Kuhn", name, 8) for name in ("CFR", "CFR+")]
>>> [contest] = select(results).contests
>>> contest.game, contest.measure, list(contest.tracks)
('Kuhn', 'NashConv', ['CFR', 'CFR+'])
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from gamebench.analysis.measures import lower_is_better
from gamebench.analysis.measures.standard import MEASURES_BY_CATEGORY
from gamebench.core.errors import SettingError, StoreError, UnknownNameError, brief, first_few
from gamebench.experiments.descriptions import category_of, description_of, method_name, method_with_iterate
from gamebench.experiments.results import PREFIX, RUN
from gamebench.experiments.store import Store
from gamebench.experiments.sweeps import Outcome
from gamebench.games.game import Category
from gamebench.report.page.payload import Folder
from gamebench.report.tracks import Contest, FinishedRun, Results, Track, finished_run, grouped
from gamebench.runs.curve import TIMES, Curve, is_reserved
from gamebench.runs.solve import Result

if TYPE_CHECKING:
    import pandas

Names: TypeAlias = str | Iterable[str] | None
"""A name, several, or ``None`` for all."""
SOURCES = (
    "a folder of results, a store, the outcome of a sweep, a result or a curve (or several, in a list or by label), or "
    "a data frame of gb.load_results"
)


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
            notes.append(f"Not shown, because not measured by the game's main measure: {first_few(lacking)}.")
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

    A name that there is not selects all that it stands for.
    """
    there = list(known)
    if names is None:
        return there
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted or not all(isinstance(name, str) for name in wanted):
        raise SettingError(f"The {kind}s to show are names, not {brief(names)}.")
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
    """All that a source holds."""

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
    pandas = sys.modules.get("pandas")  # if it was not imported, this is no data frame
    if pandas is not None and isinstance(source, pandas.DataFrame):
        notes: list[str] = []
        return _pool_of_curves(_curves_of_frame(source, notes), notes)
    if isinstance(source, Mapping) and not isinstance(source, Curve):
        several = ((str(label), part if isinstance(part, list | tuple) else [part]) for label, part in source.items())
        return _pool_of_curves([_labelled(part, label) for label, parts in several for part in parts])
    return _pool_of_curves(_named([_labelled(part, "") for part in parts]))


def _pool_of_runs(results: Results, notes: list[str]) -> _Pool:
    methods = dict.fromkeys(method for _, method, _ in results.tracks)
    return _Pool(results.measured, results.main_measures, list(methods), notes)


@dataclass(frozen=True)
class _Labelled:
    """A curve, and what is known of it."""

    curve: Curve
    label: str
    game: str
    category: str
    seed: int | None

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, if the curve knows it."""
        return str(self.curve.about.get("algorithm", "curve"))

    @property
    def settings(self) -> Mapping[str, Any]:
        """The hyper-parameters of the algorithm, as far as the curve knows them."""
        return dict(self.curve.about.get("hyper-parameters", {}))

    def iterates(self) -> Iterator[tuple[str, Curve]]:
        """Yield the method with its curve, then each further iterate as a method of its own."""
        yield self.label, self.curve
        for iterate in self.curve.iterates:
            if iterate != self.settings.get("iterate"):
                yield method_with_iterate(self.label, iterate), self.curve.of_iterate(iterate)


def _labelled(part: Any, label: str) -> _Labelled:
    """Return a result or a curve with its label; a curve that says nothing of itself is of a nameless game."""
    if isinstance(part, Result):
        return _Labelled(part.curve, label, part.game.name, str(part.game.category), part.seed)
    if not isinstance(part, Curve):
        raise SettingError(f"Figures and tables are made of {SOURCES}, not of {type(part).__name__}.")
    game = str(part.about.get("game", ""))
    return _Labelled(part, label, game, category_of(game), part.about.get("seed"))


def _named(parts: list[_Labelled]) -> list[_Labelled]:
    """Label curves by algorithm, and by the hyper-parameters in which curves of an algorithm on a game differ."""
    varying: dict[str, dict[str, None]] = {part.algorithm: {} for part in parts}
    for (_, algorithm), group in grouped(parts, lambda part: (part.game, part.algorithm)).items():
        for name in dict.fromkeys(name for part in group for name in part.settings):
            if any(part.settings.get(name) != group[0].settings.get(name) for part in group):
                varying[algorithm][name] = None
    labelled = []
    for part in parts:
        chosen = {name: part.settings[name] for name in varying[part.algorithm] if name in part.settings}
        labelled.append(replace(part, label=method_name(part.algorithm, chosen)))
    return labelled


def _pool_of_curves(parts: list[_Labelled], notes: Iterable[str] = ()) -> _Pool:
    curves: dict[tuple[str, str], dict[str, dict[int, Curve]]] = {}
    categories, methods = dict[str, str](), dict[str, None]()
    for part in parts:
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
                raise SettingError(f"The runs of {track.method} on {game or 'a game'} have no iteration in common.")
        contests.append(Contest(game, categories[game], measure, lower_is_better(measure), tracks))
    main = {game: _main_of(categories[game], [name for other, name in curves if other == game]) for game, _ in curves}
    return _Pool(contests, main, list(methods), list(notes))


def _main_of(category: str, measures: list[str]) -> str:
    """Return the main measure of a category if there is one and it was measured, otherwise the first measure."""
    main = MEASURES_BY_CATEGORY[Category(category)].main if category in list(Category) else ""
    return main if main in measures else measures[0]


def _curves_of_frame(frame: pandas.DataFrame, notes: list[str]) -> list[_Labelled]:
    """Return the curves of a data frame of :func:`gamebench.load_results`, or of some of its rows."""
    needed = ("game", "method", "seed", "iteration")
    missing = [name for name in needed if name not in frame]
    if missing:
        raise SettingError(f"A data frame of results needs the column {missing[0]!r}, as gb.load_results has it.")
    measures = [name for name in frame if not is_reserved(name) and name not in RUN and not name.startswith(PREFIX)]
    iterates = [name for name in frame if name not in measures and name.partition(" [")[0] in measures]
    parts, repeated = [], 0
    for (game, method, seed), group in frame.groupby(["game", "method", "seed"], sort=False):
        if "run" in group:
            runs = [rows for _, rows in group.groupby("run", sort=False)]
            group = max(runs, key=lambda rows: (rows["iteration"].max(), len(rows)))
            repeated += len(runs) - 1
        group = group.sort_values("iteration")
        if group["iteration"].duplicated().any():
            raise SettingError(f"{method} on {game} with seed {seed} has several rows for the same iteration.")
        columns = [name for name in (*TIMES, *measures, *iterates) if name in group and group[name].notna().all()]
        chosen = group[f"{PREFIX}iterate"].iloc[0] if f"{PREFIX}iterate" in group else None
        curve = Curve(group[columns], about={"hyper-parameters": {"iterate": chosen}})
        category = category_of(str(game), group.iloc[0])
        parts.append(_Labelled(curve, str(method), str(game), category, int(seed)))
    if repeated:
        left_out = "1 run is left out" if repeated == 1 else f"{repeated} runs are left out"
        notes.append(f"Where a seed was run several times, the longest run is shown; {left_out}.")
    return parts
