"""Today's solvers as a page of the documentation: leaderboards, the best in each game, and claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from gamebench.choices import AXES
from gamebench.paper.claims import decide_all
from gamebench.paper.evidence import Evidence
from gamebench.paper.exhibits import track_of
from gamebench.paper.experiment_list import CRD, FIELD_METHODS, LEADERBOARDS, RECORDED
from gamebench.paper.methods import FIELD, LONGEST, main_measure_of
from gamebench.report.standings import FACTOR, NEGLIGIBLE, tie
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
paper's fifteen games, the paper's for each game. All other methods have the same settings in all games. CRD and CMD(SR)
are ours, and were developed on some of these games. Runs take {iterations:,} iterations, fewer on large games:

{longest}

CMD is the mean of {seeds} seeds, CRD of {of_crd}. This page is written by code from the results that come with the
package; no number was typed in.

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

An iteration evaluates one joint policy. The candidates of CMD's controller and those that CRD measures count, too.

<div class="wide">

![The measure of each method against joint policies evaluated](_static/paper/field-policies.png)

</div>
"""

_SECONDS = """
### By seconds

Seconds are those spent in the algorithm, on two cores that were doing other work besides, so small differences mean
nothing. [Benchmarks](benchmarks.md) compares the time of an iteration on a quiet machine.

<div class="wide">

![The measure of each method against seconds](_static/paper/field-seconds.png)

</div>
"""

_ITERATES = """
## Like with like

Regret methods report an average of their policies, mirror descents their current policy. Each run recorded all of these
[iterates](iterates.md), so that they can be compared like with like. The table has mean ranks among the same iterate of
all methods, and the share of games in which that iterate was at most 1e-6.
"""

_BESIDE = """
## CRD beside the best of each game

The measure of [CRD](crd.md), the median of its {seeds} seeds, and after the slash that of the best other method, which
is chosen with hindsight for each game and each moment. It counts what was measured last by then: runs are measured
twice for each doubling of the iterations, so that close calls mean little.

### After joint policies evaluated
"""

_BESIDE_OTHERWISE = """
<details>
<summary>After iterations, and after seconds</summary>

{tables}
</details>
"""

_GAMES = """
## Game by game

The best value at the end of the runs, all methods that tie with it, and where CRD, CMD, CFR+ and PDCFR+ end.
"""

_CLAIMS = """
## Claims

What papers say about these methods, decided by the same runs. [All claims](claims.md) shows the tests and the numbers.
"""


def as_markdown(evidence: Evidence) -> str:
    """Return the whole page."""
    longest = _table([{"": "iterations", **{game: f"{count:,}" for game, count in LONGEST.items() if game in FIELD}}])
    of_crd = evidence.scale.seeds_of(CRD)
    scale = {"iterations": evidence.scale.iterations, "seeds": evidence.scale.seeds, "of_crd": of_crd}
    parts = [_HEAD.format(games=len(FIELD), longest=longest, **scale)]
    for column, text in (("iteration", ""), ("policies_evaluated", _POLICIES), ("seconds", _SECONDS)):
        parts += [text, _wide(leaderboard_table(LEADERBOARDS[""].board(evidence, column)))]
    parts += [_BESIDE.format(seeds=of_crd), _beside(evidence, "policies_evaluated", (100, 1000, 10_000))]
    others = (_beside(evidence, "iteration", (100, 1000, 10_000)), _beside(evidence, "seconds", (0.01, 0.1, 1)))
    parts += [_BESIDE_OTHERWISE.format(tables="\n".join(others))]
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


def _beside(evidence: Evidence, column: str, budgets: tuple[float, ...]) -> str:
    """Return CRD and the best other method in each game after each budget, and where CRD is behind."""
    rows, ahead, behind = [], dict.fromkeys(budgets, 0), {budget: list[str]() for budget in budgets}
    for game in FIELD:
        tracks = {method.label: track_of(game, method, main_measure_of(game), evidence) for method in FIELD_METHODS}
        cells = {}
        for budget in budgets:
            known = {label: track.along(column).after(budget) for label, track in tracks.items() if track is not None}
            medians = {label: max(float(np.median(seeds)), 0.0) for label, seeds in known.items() if seeds is not None}
            ours = medians.pop(CRD.label, None)
            best = min(medians, key=medians.__getitem__, default=None)
            if ours is None or best is None:
                cells[f"{budget:,}"] = "-"
                continue
            cells[f"{budget:,}"] = f"{_number(ours)} / {_number(medians[best])} ({plain(best)})"
            if not tie(*sorted((ours, medians[best]))):
                ahead[budget] += ours < medians[best]
                if ours > medians[best]:
                    behind[budget].append(f"{game} by {ours / max(medians[best], NEGLIGIBLE):.2g}")
        rows.append({f"game, {AXES[column].unit}": game, **cells})
    tally = []
    for budget, games in behind.items():
        time = f"{budget:,} {AXES[column].unit}" if budget != 1 else f"1 {AXES[column].unit.removesuffix('s')}"
        counts = f"in {_games_in_words(ahead[budget])}, and behind in {_games_in_words(len(games))}"
        listed = f": {', '.join(games)}" if games else ""
        tally.append(f"- After {time} CRD is ahead by more than a factor of {FACTOR} {counts}{listed}.\n")
    return f"{_wide(_table(rows))}\n{''.join(tally)}"


def _games_in_words(count: int) -> str:
    return "one game" if count == 1 else f"{count or 'no'} games"


def _games(evidence: Evidence) -> str:
    rows = []
    for game in FIELD:
        measure = main_measure_of(game)
        tracks = {method.label: track_of(game, method, measure, evidence) for method in FIELD_METHODS}
        ends = {label: max(track.final, 0.0) for label, track in tracks.items() if track is not None}
        least = min(ends.values())
        best = [label for label, end in ends.items() if tie(least, end)]
        who = ", ".join(best) if len(best) <= 4 else f"{len(best)} methods"
        ours = {label: _number(ends[label]) for label in ("CRD", "CMD", "CFR+", "PDCFR+")}
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
