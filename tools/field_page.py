"""Today's solvers as a page of the documentation: leaderboards, the best in each game, and claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gamebench.paper.claims import decide_all
from gamebench.paper.evidence import Evidence
from gamebench.paper.exhibits import track_of
from gamebench.paper.experiment_list import FIELD_METHODS, LEADERBOARDS, RECORDED
from gamebench.paper.methods import FIELD, LONGEST, main_measure_of
from gamebench.report.leaderboard import tie
from tools.claims_page import plain
from tools.leaderboard_table import as_markdown as leaderboard_table

_HEAD = """# Today's field

After this page you know how the field's solvers compare on {games} games, with the same code, the same machine and the
same exact measures, and how to put your own algorithm beside them.

```sh
gamebench leaderboard                            # the tables below
gamebench leaderboard --by seconds --iterate current
gamebench run Leduc --algorithm PDCFR+ --compare # a run beside all of them
gamebench reproduce field                        # do all runs yourself
```

Every method runs with its default hyper-parameters: those that its authors published, or, for CMD and GMD on the
paper's fifteen games, the paper's for each game. All other methods have the same settings in all games. Runs take
{iterations:,} iterations, fewer on large games:

{longest}

CMD is the mean of {seeds} seeds. This page is written by code from the results that come with the package; no number
was typed in.

<div class="wide">

![The measure of each method against iterations, a panel for each game](_static/paper/field.png)

</div>

## Leaderboard

Ranks are those among all methods in a game, averaged over the games. Two values tie if they differ by less than a
factor of 2, or if both are below 1e-12. A cell such as `80 % (256)` says that the method solved 80 % of the games, and
that the median game took 256 iterations; a dash stands for never ([more](aggregates.md#leaderboard)). In
cooperative games, and in those with teams, regret methods have no guarantee, and often stop at a solution that is not
the best one.
"""

_POLICIES = """
### By joint policies evaluated

An iteration evaluates one joint policy. The candidates of CMD's controller count, too.
"""

_SECONDS = """
### By seconds

Seconds are those spent in the algorithm, on two cores that were doing other work besides, so small differences mean
nothing. [Benchmarks](benchmarks.md) compares the time of an iteration on a quiet machine.
"""

_ITERATES = """
## Like with like

Regret methods report an average of their policies, mirror descents their current policy. Each run recorded all of these
[iterates](iterates.md), so that they can be compared like with like. The table has mean ranks among the same iterate of
all methods, and the share of games in which that iterate was at most 1e-6.
"""

_GAMES = """
## Game by game

The best value at the end of the runs, all methods that tie with it, and where CMD, CFR+ and PDCFR+ end.
"""

_CLAIMS = """
## Claims

What papers say about these methods, decided by the same runs. [All claims](claims.md) shows the tests and the numbers.
"""


def as_markdown(evidence: Evidence) -> str:
    """Return the whole page."""
    longest = _table([{"": "iterations", **{game: f"{count:,}" for game, count in LONGEST.items()}}])
    scale = {"iterations": evidence.scale.iterations, "seeds": evidence.scale.seeds}
    parts = [_HEAD.format(games=len(FIELD), longest=longest, **scale)]
    for column, text in (("iteration", ""), ("policies_evaluated", _POLICIES), ("seconds", _SECONDS)):
        parts += [text, _wide(leaderboard_table(LEADERBOARDS[""].board(evidence, column)))]
    parts += [_ITERATES, _wide(_iterates(evidence)), _GAMES, _wide(_games(evidence)), _CLAIMS, _claims(evidence)]
    return "\n".join(filter(None, parts))


def _wide(table: str) -> str:
    return f'<div class="wide">\n\n{table}\n</div>\n'


def _table(rows: Iterable[Mapping[str, str]]) -> str:
    """Return rows as a Markdown table whose first column is text and all others are numbers."""
    listed = list(rows)
    head = list(listed[0])
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *([*row.values()] for row in listed)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _iterates(evidence: Evidence) -> str:
    boards = {iterate: LEADERBOARDS[iterate].board(evidence) for iterate in RECORDED}
    by_method = {
        iterate: {standing.method: standing for standing in board.standings} for iterate, board in boards.items()
    }
    rows = []
    for method in sorted(by_method["linear"], key=lambda method: by_method["linear"][method].rank or 0.0):
        cells = {}
        for iterate in RECORDED:
            standing = by_method[iterate][method]
            cells[iterate] = f"{standing.rank:.2f} ({100 * standing.reached[1e-6].share:.0f} %)"
        rows.append({"method": plain(method), **cells})
    return _table(rows)


def _games(evidence: Evidence) -> str:
    rows = []
    for game in FIELD:
        measure = main_measure_of(game)
        tracks = {method.label: track_of(game, method, measure, evidence) for method in FIELD_METHODS}
        ends = {label: max(track.final, 0.0) for label, track in tracks.items() if track is not None}
        least = min(ends.values())
        best = [label for label, end in ends.items() if tie(least, end)]
        who = ", ".join(best) if len(best) <= 4 else f"{len(best)} methods"
        ours = {label: _number(ends[label]) for label in ("CMD", "CFR+", "PDCFR+")}
        rows.append({"game": game, "measure": measure, "best": _number(least), "by": plain(who), **ours})
    return _table(rows)


def _number(value: float) -> str:
    return "0" if value < 1e-15 else f"{value:.1e}"


def _claims(evidence: Evidence) -> str:
    decided = [decision for decision in decide_all(evidence) if decision.claim.needs in ("field", "alternating")]
    rows = (
        f"| {plain(decision.claim.statement)} | {plain(decision.claim.where)} | "
        f"[{decision.verdict}](claims.md#{decision.claim.name}-{decision.verdict}) | {decision.share} |\n"
        for decision in decided
    )
    return f"| claim | where | verdict | true in |\n|---|---|---|---|\n{''.join(rows)}"
