"""Solved games as a page of the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gamebench.choices import CORRELATED
from gamebench.exact.solved import EQUILIBRIUM, STANDARD_GAMES, SolvedGame

_HEAD = """# Solved games

After this page you can solve a game exactly, with a proof of how exactly, and look up the values of {games} standard
games.

```python
import gamebench as gb

solution = gb.solve_exactly(gb.load_game("Leduc"))
round(solution.value, 9)  # -> -0.085606424
solution.gap < 1e-12  # -> True
gb.evaluate(solution.policy.game, solution.policy, "NashConv") < 1e-12  # -> True
```

On the command line:

```console
$ gamebench solve-exactly MCCKuhn-A --coordinated --save team.npz
MCCKuhn-A [coordinated]: an equilibrium of a two-player zero-sum game
quantity                          result
solution                         minimax
value                         -0.0208333
value as a fraction                -1/48
lower bound                   -0.0208333
upper bound                   -0.0208333
gap                          ...
payoff of each of 0, 1        -0.0208333
payoff of player 2             0.0416667
largest incentive to deviate ...
seconds                      ...
Policy
player information state                        policy                     reach
...
20 of 978 decision points; --rows 978 shows all.
The policy is in team.npz.
```

`--json` prints the whole policy, and `gamebench show team.npz --rows 978` shows the one that was saved.

`gb.solve_exactly` chooses what suits the game:

- One player, or players with common payoffs: the best joint plan. The value is its payoff.
- Two players, zero-sum, also two [teams that coordinate](coordination.md): an equilibrium. The value is the payoff of
  the first player, or of each member of the first team.
- Two players, general-sum: the best coarse correlated equilibrium, or, with `concept="EFCE"`, the best extensive-form
  one, or, with `concept="Nash"` in [small games](economists.md), the best Nash equilibrium. The value is the sum of
  payoffs, or, with `objective="Fairness(smallest)"`, the payoff of the poorest.

No program solves games of more players; `gb.solve(game, "CRD")` comes close to an equilibrium of these, and NashConv
says how close ([more](crd.md)).

## Two kinds of correlated equilibrium

A mediator draws a joint plan at random, and everybody knows from which distribution. In a *coarse correlated
equilibrium* (CCE) players decide before the game whether they follow it. In an *extensive-form correlated equilibrium*
(EFCE) they are told one action at a time, when they have to choose, and may stop following at any time. In chicken the
best one plays (swerve, swerve) half of the time, and each of the two ways to give way in a quarter:

```python
chicken = gb.Game.from_payoffs([[[6, 6], [2, 7]], [[7, 2], [0, 0]]], actions=[["swerve", "dare"]] * 2)
best = gb.solve_exactly(chicken, concept="EFCE")
best.payoffs.round(9).tolist()  # -> [5.25, 5.25]
print(best.policy)
```

```text
Mixture('payoffs', 3 policies)
policy  weight  player 0  player 1  payoff of player 0  payoff of player 1
0       0.5     swerve    swerve    6                   6
1       0.25    swerve    dare      2                   7
2       0.25    dare      swerve    7                   2
```

The policy is a mixture of joint plans, which `gamebench solve-exactly` prints as the same table. In games of more than
20 decision points the plans are too long for it: `best.policy.policies` and `best.policy.weights`, or `--json`, have
them. A mixture cannot be saved, but it can be measured:

```python
round(gb.evaluate(chicken, best.policy, "SocialWelfare"), 9)  # -> 10.5
```

## The certificate

The linear programs are solved by HiGHS, whose word is not taken for anything. From its solution we read two policies
and compute what the players' best responses gain against them:

- **Zero-sum.** The first player's policy guarantees it `lower`: what it gets against the other's best response. The
  second player's policy grants the first one at most `upper`.
- **Optimum.** `lower` is the value of the plan found, and `upper` that of an exact search.
- **CCE and EFCE.** `lower` is what the plan found pays, and `incentive` what the best deviation from it gains. The
  multipliers of the program are plans of the deviators. Add to the objective a weighted sum of what following the
  mediator gains over these plans; no equilibrium is better than the best joint plan for this sum, which is `upper`.

`gap` is the difference. It contains only the rounding errors of some passes over the arrays of the game. A fraction is
shown if one with a small denominator lies within the gap, or within 1e-12; it is recognised, not proved.

## The list

`gamebench list games --values` prints the list, and `gb.solved_games()` returns it; both read a file that comes with
the package. `python -m tools.solved_games` computes everything anew and writes this page. The largest gap of a value is
{largest}.

```python
solved = {{entry.name: entry for entry in gb.solved_games()}}
solved["LiarsDice-6"].fraction  # -> '-7/258'
```"""

_ZERO_SUM = """
### Two players, zero-sum

The value is the payoff of player 0. Where papers or arguments give it, the last column repeats it.
"""
_TEAMS = """
### Two teams that coordinate

The value is the payoff of each member of the first team.
"""
_OPTIMA = """
### One player, or common payoffs

The value is the payoff of each player.
"""
_GENERAL = """
### Two players, general-sum

The values are those of the best equilibrium by the sum of payoffs, and in brackets one pair of payoffs that attains it.
"""
_MORE = """
### More than two players

These games have no value. The payoffs are those of an equilibrium that CRD found; others can have different payoffs.
The certificate is NashConv.
"""


def as_markdown(entries: Sequence[SolvedGame]) -> str:
    """Return the whole page."""
    known = {standard.game: standard.literature for standard in STANDARD_GAMES}
    zero_sum = [entry for entry in entries if entry.concept == "minimax" and not entry.coordinated]
    teams = [entry for entry in entries if entry.concept == "minimax" and entry.coordinated]
    optima = [entry for entry in entries if entry.concept == "optimum"]
    general = [entry for entry in entries if entry.concept == CORRELATED[0]]
    finer = {entry.name: entry for entry in entries if entry.concept == CORRELATED[1]}
    more = [entry for entry in entries if entry.concept == EQUILIBRIUM]
    largest = max(entry.gap for entry in entries if entry.concept != EQUILIBRIUM)
    return "\n".join(
        [
            _HEAD.format(games=len({entry.name for entry in entries}), largest=f"{largest:.0e}"),
            _ZERO_SUM,
            *_table(
                ("game", "decision points", "value", "gap", "known"),
                (
                    (_named(entry), _size(entry), _value(entry), _gap(entry.gap), known[entry.game])
                    for entry in zero_sum
                ),
            ),
            _TEAMS,
            *_table(
                ("game", "teams", "decision points", "value", "gap"),
                ((f"`{entry.game}`", _teams(entry), _size(entry), _value(entry), _gap(entry.gap)) for entry in teams),
            ),
            _OPTIMA,
            *_table(
                ("game", "players", "decision points", "value", "known"),
                (
                    (_named(entry), str(entry.players), _size(entry), _value(entry), known[entry.game])
                    for entry in optima
                ),
            ),
            _GENERAL,
            *_table(
                ("game", "decision points", "CCE", "EFCE", "gap"),
                (
                    (
                        _named(entry),
                        _size(entry),
                        *(f"{_value(best)} ({_payoffs(best)})" for best in (entry, finer[entry.name])),
                        _gap(max(entry.gap, finer[entry.name].gap)),
                    )
                    for entry in general
                ),
            ),
            _MORE,
            *_table(
                ("game", "decision points", "payoffs", "NashConv"),
                ((_named(entry), _size(entry), _payoffs(entry), _gap(entry.gap)) for entry in more),
            ),
            "",
        ]
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)]


def _named(entry: SolvedGame) -> str:
    return f"`{entry.game}`"


def _size(entry: SolvedGame) -> str:
    return f"{entry.decision_points:,}".replace(",", " ")


def _gap(gap: float) -> str:
    return f"{gap:.0e}" if gap else "0"


def _teams(entry: SolvedGame) -> str:
    return " against ".join(", ".join(map(str, team)) for team in entry.teams or ())


def _value(entry: SolvedGame) -> str:
    assert entry.value is not None
    if entry.fraction is None:
        return f"{entry.value:.9f}"
    return entry.fraction if "/" not in entry.fraction else f"{entry.fraction} = {entry.value:.6f}"


def _payoffs(entry: SolvedGame) -> str:
    return ", ".join(f"{round(payoff, 4) + 0.0:g}" for payoff in entry.payoffs)
