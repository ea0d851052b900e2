"""Evidence that is made up, so that the answer is known."""

import json
import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas

from gamebench.evidence.claims.claim import Criterion
from gamebench.evidence.methods import Method, Scale, known_game, recorded
from gamebench.evidence.runs import Evidence
from gamebench.games.game import Category
from gamebench.report.tracks import Track
from gamebench.runs.curve import Curve, with_iterate

POINTS = np.array(Scale(iterations=64).points)
"""0, 1, 2, 3, 4, 6, 8, 11, 16, ..., 64."""
GAPS = ("OptGap", "NashConv", "NashConv(approximate)", "CCEGap")
RunName = tuple[str, str, int]
"""Game, key of the method, seed."""


class KeptCurve(Curve):
    """A curve whose columns are made once, as there are many readers."""

    def __getitem__(self, name):
        if name not in (kept := self.about):
            kept[name] = super().__getitem__(name)
        return kept[name]


def curve_of(columns):
    """A curve with these columns at the first of the points, or at those it is given; two policies an iteration."""
    count = len(next(iter(columns.values())))
    times = np.asarray(columns.get("iteration", POINTS[:count]))
    columns = {"iteration": times, "seconds": times / 8, "policies_evaluated": 2 * times, **columns}
    curve = KeptCurve()
    for row in zip(*columns.values(), strict=True):
        curve.add(dict(zip(columns, row, strict=True)))
    return curve


class MadeUpEvidence(Evidence):
    """Curves that ``make(game, method, seed)`` returns; ``None`` is a run that is missing.

    As in reality, only CMD has more than one seed. What is read is written down.
    """

    def __init__(self, make, seeds=2, tables=None, missing: Iterable[RunName] = ()):
        self.make, self.tables, self.missing = make, tables or {}, frozenset(missing)
        self.scale = Scale(iterations=int(POINTS[-1]), seeds=seeds)
        self.runs_read: set[tuple[str, str]] = set()
        self.tables_read: set[str] = set()

    def curves(self, game, method):
        key = method.key
        self.runs_read.add((game, key))
        there = [seed for seed in self.seeds_of(key) if (game, key, seed) not in self.missing]
        return {seed: curve for seed in there if (curve := self.make(game, method, seed)) is not None}

    def table(self, name):
        self.tables_read.add(name)
        return self.tables.get(name)

    def seeds_of(self, key):
        algorithm, _, _, *more = json.loads(key)
        repeats = [number for number in more if isinstance(number, int)][1:]
        repeats = repeats[0] if repeats else 1
        return range(self.scale.seeds * repeats if algorithm in ("CMD", "CRD") else 1)

    def names_read(self) -> list[RunName]:
        """Every run that was asked for so far."""
        return [(game, key, seed) for game, key in sorted(self.runs_read) for seed in self.seeds_of(key)]

    def without(self, names: Iterable[RunName]):
        """The same curves, but for some runs."""
        return MadeUpEvidence(self.make, self.scale.seeds, self.tables, self.missing | set(names))

    def with_tables(self, tables):
        """The same curves beside other tables."""
        return MadeUpEvidence(self.make, self.scale.seeds, tables, self.missing)


NOTHING = MadeUpEvidence(lambda *_: None)


def of(values, measure="NashConv", points=None):
    """Evidence with the same curves in every game: for each method, by its label, the values of each of its runs."""
    curves = {}
    for label, runs in values.items():
        for seed, run in enumerate(runs):
            times = POINTS[: len(run)] if points is None else points
            curves[label, seed] = curve_of({"iteration": times, measure: run})
    return MadeUpEvidence(lambda game, method, seed: curves.get((method.label, seed)))


def of_weights(values, points=None, gaps=None):
    """Evidence of weights: for each method and run the magnet's along the way, then those of the latest policy, ...

    ``gaps`` has, by label and seed, NashConv along the way, where it is not 1.
    """
    curves = {}
    for label, runs in values.items():
        for seed, (magnet, *others) in enumerate(runs):
            # The magnet last and the oldest policy first: the order of the columns must not matter.
            backwards = {f"alpha_{place}": other for place, other in reversed(list(enumerate(others, start=1)))}
            times = POINTS[: len(magnet)] if points is None else points
            gap = (gaps or {}).get((label, seed), np.ones(len(times)))
            columns = {"iteration": times, "NashConv": gap, **backwards, "alpha_magnet": magnet}
            curves[label, seed] = curve_of(columns)
    return MadeUpEvidence(lambda game, method, seed: curves.get((method.label, seed)))


# --- made-up methods, and their values --------------------------------------------------------------------------------
A, B, C = (Method(name, "CMD", {"convex": name}) for name in "ABC")
SURE = Method("sure", "CFR")
GAME = "Kuhn"
NO_ANSWER = "; seeds disagree, curves swing, or it is too close to tell"


def f(_):
    """What tests of made-up methods are about."""
    return "NashConv"


def up(value):
    """The next number."""
    return math.nextafter(value, math.inf)


def down(value):
    """The one before."""
    return math.nextafter(value, -math.inf)


def both(*values):
    """Two seeds that do the same."""
    return [list(values)] * 2


def answer(test, values, **more):
    """The answer of a test on evidence with these values."""
    return test.decide(of(values, **more), GAME, f).answer


def says(find, uses_measure=True):
    """A test whose findings are those of a function of the evidence and the case."""
    return Criterion("It is", lambda runs: find(runs.evidence, runs.case), uses_measure=uses_measure)


def track_of(x, values, method="A"):
    """Return a track with these rows of x and of values, one for each seed."""
    return Track(GAME, method, "NashConv", tuple(range(len(values))), {"iteration": np.array(x)}, np.array(values))


# --- worlds, in which every experiment was done ----------------------------------------------------------------------
TIMES, LATE = (3, 23, 45, 64), 8
"""When the first, the second, ... of a race arrive, and all who take no part, though not at the same place.

Of the first three each needs less than half the iterations of the next; at 16 only the first is there.
"""


def measured_in(game, method):
    """What is measured along the runs of a method in a game."""
    return method.measured or recorded(game)


def only(measured, iterates, columns):
    """Without the measures that are not measured, and with the same for all iterates."""
    known = {name: values for name, values in columns.items() if name in measured or name.startswith("alpha")}
    others = {with_iterate(name, iterate): columns[name] for name in measured for iterate in iterates}
    return {**known, **others}


def race(*order, pace=None, stuck=0.2):
    """In every game those in ``order`` solve it one after the other; the others come to ``stuck`` and stay there.

    Those in order have a welfare of 1, the others of 0.5; the weights of those in order stay at 0.5, those of others
    fall to 0.01. A first argument that maps games to orders, with "" for all other games, makes games differ.
    ``pace`` has, by label, the policies evaluated in an iteration, where these are not 2.
    """
    orders = order[0] if order and isinstance(order[0], Mapping) else {"": order}
    places = {game: {method.key: place for place, method in enumerate(some)} for game, some in orders.items()}
    curves = {}

    def make(game, method, _):
        place, each = places.get(game, places[""]).get(method.key), (pace or {}).get(method.label, 2)
        name = place, each, measured_in(game, method), method.iterates
        if name not in curves:
            curves[name] = curve_of(only(*name[2:], _run(place, stuck)) | {"policies_evaluated": each * POINTS})
        return curves[name]

    return MadeUpEvidence(make)


def _run(place, stuck):
    if place is None:
        gap, welfare, weight = np.where(POINTS < LATE, 1.0, stuck), 0.5, np.linspace(0.5, 0.01, len(POINTS))
    else:
        gap, welfare, weight = np.where(TIMES[place] > POINTS, 1.0, 1e-12), 1.0, np.full(len(POINTS), 0.5)
    alpha = {"alpha_magnet": weight, "alpha_1": weight}
    return {**dict.fromkeys(GAPS, gap), "SocialWelfare": np.full(len(POINTS), welfare), **alpha}


def in_mixed_games(evidence, column, other):
    """The evidence with a column taken from the other, in the mixed games."""
    curves = {}

    def make(game, method, seed):
        curve = evidence.make(game, method, seed)
        if known_game(game).category is not Category.MIXED:
            return curve
        given = other.make(game, method, seed)
        if (id(curve), id(given)) not in curves:
            columns = {name: curve[name] for name in curve}
            curves[id(curve), id(given)] = curve_of(columns | {column: given[column]})
        return curves[id(curve), id(given)]

    return MadeUpEvidence(make)


def tables(costs):
    """Of running time and memory, from seconds, seconds with an update and MB by game and method."""
    rows = [(*name, *numbers) for name, numbers in costs.items()]
    table = pandas.DataFrame(rows, columns=["game", "method", "seconds", "seconds with an update", "MB"])
    return {"runtime": table.drop(columns="MB"), "memory": table[["game", "method", "MB"]]}
