"""Curves with what is known about them, from results, curves, data frames and dictionaries of arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from gamebench.core.choices import TimeAxis
from gamebench.core.errors import SettingError, first_few
from gamebench.experiments.descriptions import category_of, method_name, method_with_iterate
from gamebench.experiments.results import PREFIX, RUN
from gamebench.report.tracks import grouped
from gamebench.runs.curve import TIMES, Curve, is_reserved, split_iterate
from gamebench.runs.solve import Result

if TYPE_CHECKING:
    import pandas

SOURCES = (
    "a folder of results, a store, the outcome of a sweep, results or curves (one, a list, or by label), a data frame "
    "of gb.load_results, or other data frames or dictionaries of arrays by label"
)


@dataclass(frozen=True)
class LabelledCurve:
    """A curve, and what is known about it."""

    curve: Curve
    label: str
    game: str
    """The name of the game; empty if it is not known."""
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


def curves_of(part: Any, label: str = "") -> list[LabelledCurve]:
    """Return the curve of a result or a curve, or the curves of a data frame or a dictionary of arrays."""
    if isinstance(part, Result):
        return [LabelledCurve(part.curve, label, part.game.name, str(part.game.category), part.seed)]
    if isinstance(part, Curve):
        game = str(part.about.get("game", ""))
        return [LabelledCurve(part, label, game, category_of(game), part.about.get("seed"))]
    if is_frame(part) or isinstance(part, Mapping):
        return _foreign(part, label)
    raise SettingError(f"Figures and tables can show {SOURCES}, not {type(part).__name__}.")


def named(parts: list[LabelledCurve]) -> list[LabelledCurve]:
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


# --- data frames -----------------------------------------------------------------------------------------------------
def is_frame(source: Any) -> TypeGuard[pandas.DataFrame]:
    """Return whether this is a data frame, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def needs_label(what: str) -> SettingError:
    """Return the error for numbers from another program that do not name their method."""
    return SettingError(f"Numbers from another program need a label: give {{'PPO': curve}} instead of {what}.")


def curves_of_results(frame: pandas.DataFrame, notes: list[str]) -> list[LabelledCurve]:
    """Return the curves of a data frame of :func:`gamebench.load_results`, or of some of its rows."""
    needed = ("game", "method", "seed", "iteration")
    missing = [name for name in needed if name not in frame]
    if missing:
        raise SettingError(
            f"A data frame of results needs the column {missing[0]!r}, as in gb.load_results(); any other data frame "
            "needs a label, as in {'PPO': frame}."
        )
    parts, repeated = [], 0
    for (game, method, seed), group in _groups(frame, ["game", "method", "seed"], "A data frame of results"):
        if "run" in group:
            runs = [rows for _, rows in group.groupby("run", sort=False, dropna=False)]
            group = max(runs, key=lambda rows: (rows["iteration"].max(), len(rows)))
            repeated += len(runs) - 1
        curve = _curve(group, f"{method} on {game} with seed {seed}")
        parts.append(LabelledCurve(curve, str(method), str(game), category_of(str(game), group.iloc[0]), int(seed)))
    if repeated:
        left_out = "1 run is left out" if repeated == 1 else f"{repeated} runs are left out"
        notes.append(f"Where a seed was run several times, the longest run is shown; {left_out}.")
    return parts


def _foreign(columns: pandas.DataFrame | Mapping[str, Any], label: str) -> list[LabelledCurve]:
    """Return the curves in numbers from another program, one for each game and seed."""
    if not label:
        raise needs_label(f"a {type(columns).__name__}")
    import pandas

    try:
        frame = pandas.DataFrame(columns)
    except (TypeError, ValueError) as error:
        raise SettingError(f"The columns of {label} do not form a table: {error}.") from error
    frame = frame.rename(columns={str(axis): axis.column for axis in TimeAxis if axis.column not in frame})
    if "method" in frame and frame["method"].nunique() > 1:
        methods = first_few(list(map(str, frame["method"].unique())))
        raise SettingError(f"The data frame {label} holds several methods ({methods}); give each a label of its own.")
    keys = [name for name in ("game", "seed") if name in frame]
    parts = []
    for values, rows in _groups(frame, keys, label):
        about = dict(zip(keys, values, strict=True))
        game, seed = str(about.get("game", "")), about.get("seed")
        if seed is not None and (isinstance(seed, str) or seed != int(seed)):
            raise SettingError(f"The seeds of {label} must be whole numbers, not {seed!r}.")
        who = label + (f" on {game}" if game else "") + ("" if seed is None else f" with seed {seed}")
        category = category_of(game, rows.iloc[0])
        parts.append(LabelledCurve(_curve(rows, who), label, game, category, None if seed is None else int(seed)))
    return parts


def _groups(frame: pandas.DataFrame, keys: list[str], who: str) -> Iterator[tuple[tuple[Any, ...], pandas.DataFrame]]:
    """Yield the rows of a data frame by the values of some columns, which must not have gaps."""
    for name in keys:
        if frame[name].isna().any():
            raise SettingError(f"{who} has rows without a {name}.")
    if not len(frame):
        raise SettingError(f"{who} has no rows.")
    yield from frame.groupby(keys, sort=False) if keys else [((), frame)]


def _curve(rows: pandas.DataFrame, who: str) -> Curve:
    """Return the curve of one run in order of time. A column without a value is left out; one with gaps is an error."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    known = [
        name
        for name in rows
        if isinstance(name, str) and is_numeric_dtype(rows[name]) and not is_bool_dtype(rows[name])
        if rows[name].notna().any()
    ]
    times = [axis.column for axis in TimeAxis if axis.column in known]
    if not times:
        raise SettingError(f"{who} has no column that counts time: {', '.join(TIMES[:-1])} or {TIMES[-1]}.")
    measures = [name for name in known if not is_reserved(name) and name not in RUN and not name.startswith(PREFIX)]
    if not measures:
        raise SettingError(f"{who} has no column with a measure, such as NashConv.")
    iterates = [name for name in known if split_iterate(name)[1] and split_iterate(name)[0] in measures]
    for name in (*times, *measures, *iterates):
        gaps = len(rows) - int(np.isfinite(rows[name].to_numpy(np.float64, na_value=np.nan)).sum())
        if gaps:
            raise SettingError(f"{who} has no finite {name} in {gaps} of its {len(rows)} rows; leave these rows out.")
    rows = rows.sort_values(times[0])
    if rows[times[0]].duplicated().any():
        hint = "" if "seed" in rows else "; if these are several seeds, add a column 'seed'"
        raise SettingError(f"{who} has several rows for the same {times[0]}{hint}.")
    reported = rows[f"{PREFIX}iterate"].iloc[0] if f"{PREFIX}iterate" in rows else None
    columns = {name: rows[name].to_numpy() for name in TIMES if name in times}
    columns |= {name: rows[name].to_numpy() for name in (*measures, *iterates)}
    return Curve(columns, {"hyper-parameters": {"iterate": reported}})
