"""The results at the paper's scale that come with the package, and comparisons with them.

    shipped/curves.parquet      a row for each point of each run, with the run's ID
    shipped/index.json          the runs of each method, the scale and the provenance
    shipped/runtime.csv, memory.csv

``make reproduce`` makes them.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from gamebench.analysis.measures import lower_is_better
from gamebench.core.errors import GameBenchError
from gamebench.evidence.experiments import FIELD_METHODS, LEADERBOARDS
from gamebench.evidence.methods import COORDINATED, FIELD, Method, Scale, known_game, recorded
from gamebench.evidence.runs import Evidence
from gamebench.games.catalogue import CatalogGame, game_with
from gamebench.report.leaderboard import GOALS, Leaderboard
from gamebench.report.standings import CLOSE, EQUAL, ScoreColumn, Standing, for_json, level, ranks
from gamebench.report.tracks import Contest, Track
from gamebench.runs.curve import Curve, table_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

FOLDER = "shipped"
THIS_RUN = "this run"


class ShippedEvidence(Evidence):
    """The results that come with the package."""

    def __init__(self, folder: Traversable | None = None) -> None:
        """Open the results in ``folder`` (default: the package's own)."""
        self._folder = files("gamebench.evidence") / FOLDER if folder is None else folder
        self._index: dict[str, Any] = json.loads((self._folder / "index.json").read_text(encoding="utf-8"))
        self.scale = Scale(**self._index["scale"])
        self.provenance: dict[str, Any] = self._index["provenance"]
        """How each experiment was run, by name."""
        self._curves: dict[str, Curve] = {}
        self._tables: dict[str, pandas.DataFrame] = {}

    @property
    def core_seconds(self) -> float:
        """Total seconds of all runs, not counting the measuring of policies."""
        seconds = self._rows.column("seconds").to_pylist()
        return float(sum(seconds[end - 1] for _, end in self._spans.values()))

    def curves(self, game: str, method: Method) -> dict[int, Curve]:
        """Return the curves of a method's runs in a game, by seed."""
        runs = self._index["runs"].get(method.key, {}).get(game, {})
        return {int(seed): curve for seed, run in runs.items() if (curve := self.curve(run)) is not None}

    def table(self, name: str) -> pandas.DataFrame | None:
        """Return a measured table."""
        import pandas

        path = self._folder / f"{name}.csv"
        if name not in self._tables and path.is_file():
            self._tables[name] = pandas.read_csv(io.StringIO(path.read_text(encoding="utf-8")))
        return self._tables.get(name)

    def curve(self, run: str) -> Curve | None:
        """Return the curve of a run by its ID, or ``None``; each is parsed when first requested."""
        if run not in self._curves and run in self._spans:
            begin, end = self._spans[run]
            rows = self._rows.slice(begin, end - begin).drop_columns(["run"])
            columns = {name: rows[name].to_pylist() for name in rows.column_names if not rows[name].null_count}
            self._curves[run] = Curve(columns=columns)
        return self._curves.get(run)

    @cached_property
    def _rows(self) -> pyarrow.Table:
        return table_of((self._folder / "curves.parquet").read_bytes())

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """First row of each run, and the row after its last; the rows of a run are contiguous."""
        spans: dict[str, tuple[int, int]] = {}
        for index, run in enumerate(self._rows.column("run").to_pylist()):
            spans[run] = spans.get(run, (index,))[0], index + 1
        return spans


@cache
def shipped() -> ShippedEvidence:
    """Return the results that come with the package, read once."""
    return ShippedEvidence()


def field_leaderboard(column: str = "iteration", iterate: str = "") -> Leaderboard:
    """Return the leaderboard of today's solvers; with ``iterate``, all of them report that iterate."""
    return LEADERBOARDS[iterate].board(shipped(), column)


@dataclass(frozen=True)
class Rivals:
    """A run and today's solvers, ranked at the last iteration at which all were measured."""

    iteration: int
    standings: list[Standing]
    """Standing of the run, then those of the solvers."""

    def value(self, row: Standing) -> float:
        """Return the measure at that iteration, as a mean over the seeds."""
        return float(row.track.mean[row.track.x[0] == self.iteration][0])

    def sooner(self, row: Standing) -> float:
        """Return the first iteration at which a method is as good as the run at its end, ties included; or infinity."""
        sign = 1.0 if row.contest.is_lower_better else -1.0
        aim, points = sign * self.standings[0].final, zip(row.track.x[0], sign * row.track.mean, strict=True)
        return next((float(x) for x, value in points if EQUAL.holds(aim, value)), math.inf)

    @property
    def columns(self) -> list[ScoreColumn]:
        """Columns of the comparison as a table."""

        def reached(epsilon: float) -> ScoreColumn:
            return ScoreColumn(f"to {level(epsilon)}", level(epsilon), lambda row: row.reached[epsilon].time, "count")

        measure = self.standings[0].contest.measure
        return [
            ScoreColumn("method", "method", lambda row: row.method, "method"),
            ScoreColumn("rank", "rank", lambda row: row.place, "count"),
            ScoreColumn(f"{measure} at {self.iteration}", f"at {self.iteration}", self.value),
            ScoreColumn("at its end", "at its end", lambda row: row.final),
            *map(reached, self.standings[0].reached),
            ScoreColumn("as this run", "as this run", self.sooner, "count"),
        ]

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the comparison as JSON data, where ``None`` means never."""
        return for_json([*self.columns, ScoreColumn("seeds", "seeds", lambda row: row.seeds, "count")], self.standings)


def baselines(game: str) -> pandas.DataFrame:
    """Return the curves of today's solvers in a game that has a shorthand, of up to 100 000 iterations.

    Each row is a point of a curve: ``method``, ``seed``, and the columns of the curve, including further iterates.

    Examples:
        >>> import gamebench as gb
        >>> frame = gb.baselines("Kuhn")
        >>> len(frame["method"].unique()), int(frame["iteration"].max())
        (21, 100000)
        >>> last = frame[frame["iteration"] == 100_000].set_index("method")
        >>> bool(last["NashConv"]["PDCFR+"] < last["NashConv"]["CFR+"] < last["NashConv"]["CFR"])
        True
    """
    import pandas

    if not isinstance(game, str):
        kind = type(game).__name__
        raise GameBenchError(f"baselines() takes the shorthand of a game, such as 'Kuhn', not {kind}.")
    known = _with_baselines(known_game(game), game)
    parts = [
        pandas.DataFrame({"method": method.label, "seed": seed, **curve})
        for method in FIELD_METHODS
        for seed, curve in shipped().curves(known.shorthand, method).items()
    ]
    return pandas.concat(parts, ignore_index=True)


def rivals(game: str, fingerprint: str, curves: Mapping[int, Curve], measure: str) -> Rivals:
    """Compare a run of a game that has a shorthand, given as curves by seed, with today's solvers."""
    about = check_comparable(game, fingerprint, measure)
    name, is_lower_better = about.shorthand, lower_is_better(measure)
    known = (shipped().track(name, method, measure) for method in FIELD_METHODS)
    tracks = [Track.of(name, THIS_RUN, measure, curves), *(track for track in known if track is not None)]
    # The last iteration at which all were measured; all were at 0.
    common = max(set.intersection(*({*track.x[0].tolist()} for track in tracks)))
    values = [float(track.mean[track.x[0] == common][0]) for track in tracks]
    # Where higher is better, the measure is not a distance from a solution.
    places = ranks(values, CLOSE) if is_lower_better else ranks([-value for value in values], EQUAL)
    contest = Contest(name, str(about.category), measure, is_lower_better, {track.method: track for track in tracks})
    return Rivals(
        int(common),
        [Standing(track.method, (contest,), (rank,), GOALS) for track, rank in zip(tracks, places, strict=True)],
    )


def check_comparable(game: str, fingerprint: str, measure: str) -> CatalogGame:
    """Return the game with this fingerprint; raise unless it has baselines by this measure."""
    known = _with_baselines(game_with(fingerprint), game)
    measured = recorded(known.shorthand)
    if measure not in measured:
        raise GameBenchError(f"In {game} the baselines were measured by {', '.join(measured)}: choose one of these.")
    return known


def _with_baselines(known: CatalogGame | None, name: str) -> CatalogGame:
    """Return a game whose baselines come with the package; raise an error about ``name`` otherwise."""
    if known is None or known.shorthand not in (*FIELD, *COORDINATED):
        raise GameBenchError(f"There are no baselines for {name!r}: GameBench has baselines for {', '.join(FIELD)}.")
    return known
