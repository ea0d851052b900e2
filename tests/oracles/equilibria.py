"""All Nash equilibria of small games, and the best of them, by enumeration in exact fractions.

A game becomes its reduced normal form: every pure plan of every player, and the payoffs of every combination of plans.
Of the package only the arrays of a `Game` are used, and `gb.Policy` to hand an equilibrium back.

Two players. (x, y) is an equilibrium if every plan that x uses is a best response to y, and vice versa. Let P be the
polyhedron of pairs (x, v) such that no column pays more than v against x, Q the same for y and rows. Call a pair
(vertex of P, vertex of Q) that is an equilibrium *extreme*. Then:

1.  Every equilibrium (x, y) is a mixture of extreme ones. The smallest face of P that contains x has vertices
    x_1, ..., x_k, and x is a mixture of them. Whatever inequality is tight at x is tight at every x_i: x_i uses only
    plans that x uses, and every best response to x is one to x_i. The same holds for y and y_1, ..., y_l. Hence every
    (x_i, y_j) is an equilibrium.
2.  Let X and Y be the convex hulls of these vertices. Every pair in X x Y is an equilibrium, by the same argument; such
    a product is a *Nash subset*. On it, player 1's payoff depends on y alone, since all x in X are best responses to
    y. It is linear in y, because it is u_1(x_0, y) for a fixed x_0 in X. In the same way, player 2's payoff is a linear
    function of x alone.
3.  So some vertex y_j is best for player 1 and some vertex x_i is best for player 2, both at once, and (x_i, y_j) pays
    each player at least what (x, y) does. An objective that does not fall when a payoff rises (welfare, the smallest
    payoff, the Nash product of gains) is therefore largest at an extreme equilibrium, also in degenerate games.

Three players with two plans each. Supports are enumerated. If all mix, one variable remains, which solves a quadratic
equation. Games with a continuum of equilibria are refused.

References:
    D. Avis, G. Rosenberg, R. Savani and B. von Stengel, "Enumeration of Nash equilibria for two-player games",
    Economic Theory 42, 2010. M. J. M. Jansen, "Maximal Nash subsets for bimatrix games", Naval Research Logistics
    Quarterly 28, 1981.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

import gamebench as gb

Number: TypeAlias = Fraction | float
Vector: TypeAlias = tuple[Number, ...]
Plan: TypeAlias = frozenset[int]
"""The sequences that a pure plan plays: one action at each decision point that its own earlier actions can reach."""
Profile: TypeAlias = tuple[int, ...]
"""The number of a plan for each player."""
Matrix: TypeAlias = Sequence[Sequence[Number]]
Objective: TypeAlias = Callable[[Sequence[Number]], Number]

SIMPLEST = 10**6
"""Largest denominator of a number that is stored rounded: the float 0.333... stands for 1/3."""
MAX_PROFILES = 5_000
MAX_BASES = 20_000
ZERO, ONE = Fraction(0), Fraction(1)

OBJECTIVES: dict[str, Objective] = {
    "SocialWelfare": sum,
    "smallest": min,
    "NashProduct": lambda payoffs: math.prod(max(payoff, ZERO) for payoff in payoffs),
}
"""Functions of all payoffs that never fall when a payoff rises. For the Nash product, disagreement pays 0."""


class TooLargeError(ValueError):
    """Enumeration would take too long."""


class DegenerateGameError(ValueError):
    """The game may have a continuum of equilibria, which this oracle cannot enumerate."""


class NormalForm(NamedTuple):
    """Plans of each player, without those that pay everybody the same as an earlier one, and the payoffs."""

    plans: list[list[Plan]]
    payoffs: dict[Profile, tuple[Fraction, ...]]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of plans of each player."""
        return tuple(len(own) for own in self.plans)


class Equilibrium(NamedTuple):
    """A mixture of plans for each player, what it pays them, and the policy that plays it."""

    mixtures: tuple[Vector, ...]
    payoffs: Vector
    policy: gb.Policy


class Best(NamedTuple):
    """The largest value of an objective over all equilibria, and an equilibrium that attains it."""

    value: Number
    equilibrium: Equilibrium


def best_equilibrium(game: gb.Game, objective: str | Objective) -> Best:
    """Return the best Nash equilibrium of a game with two players, or with three who have two plans each.

    `objective` is a name of `OBJECTIVES`, or a function of all payoffs that does not fall when a payoff rises.
    """
    return _best(equilibria(game), objective)


def best_pure_equilibrium(game: gb.Game, objective: str | Objective) -> Best:
    """Return the best equilibrium in pure plans, for any number of players; raise ValueError if there is none."""
    return _best(pure_equilibria(game), objective)


def _best(found: list[Equilibrium], objective: str | Objective) -> Best:
    function = OBJECTIVES[objective] if isinstance(objective, str) else objective
    best = max(found, key=lambda equilibrium: function(equilibrium.payoffs))
    return Best(function(best.payoffs), best)


def equilibria(game: gb.Game) -> list[Equilibrium]:
    """Return the extreme equilibria of a two-player game, or all equilibria of three players with two plans each."""
    form = normal_form(game)
    if len(form.shape) == 2:
        mixtures: list[tuple[Vector, ...]] = list(extreme_equilibria(*matrices(form)))
    elif len(form.shape) == 3 and max(form.shape) <= 2:
        mixtures = list(_of_three_players(form))
    else:
        raise TooLargeError(f"no enumeration for {form.shape} plans; use pure_equilibria")
    return [_as_equilibrium(game, form, each) for each in mixtures]


def pure_equilibria(game: gb.Game) -> list[Equilibrium]:
    """Return all equilibria in pure plans, one for each combination of plans with payoffs of their own."""
    form = normal_form(game)
    stable = [profile for profile in form.payoffs if _is_stable(form, profile)]
    units = [[_unit(plan, count) for plan, count in zip(profile, form.shape, strict=True)] for profile in stable]
    return [_as_equilibrium(game, form, tuple(each)) for each in units]


def _is_stable(form: NormalForm, profile: Profile) -> bool:
    return all(
        form.payoffs[(*profile[:player], other, *profile[player + 1 :])][player] <= form.payoffs[profile][player]
        for player, count in enumerate(form.shape)
        for other in range(count)
    )


# ------------------------------------------------------------------------------------------------ normal form


def normal_form(game: gb.Game, max_profiles: int = MAX_PROFILES) -> NormalForm:
    """Return the reduced normal form of a game without teams."""
    if game.has_teams:
        raise ValueError("equilibria of games with teams are not enumerated")
    if math.prod(num_plans(game, player) for player in range(game.num_players)) > max_profiles:
        raise TooLargeError(f"more than {max_profiles} combinations of pure plans")
    plans = [list(_plans(game, player)) for player in range(game.num_players)]
    payoffs = {profile: _payoffs(game, plans, profile) for profile in _profiles(plans)}
    return _without_copies(NormalForm(plans, payoffs))


def matrices(form: NormalForm) -> tuple[Matrix, Matrix]:
    """Return both payoff matrices of a game with two players; rows are the first player's plans."""
    rows, columns = form.shape
    first, second = ([[form.payoffs[i, j][who] for j in range(columns)] for i in range(rows)] for who in (0, 1))
    return first, second


def num_plans(game: gb.Game, player: int) -> int:
    """Return the number of pure plans of a player."""
    following = _following(game, player)

    def after(sequence: int) -> int:
        return math.prod(sum(after(action) for action in point) for point in following.get(sequence, []))

    return after(game.num_sequences + player)


def _plans(game: gb.Game, player: int) -> Iterator[Plan]:
    """All pure plans of a player: an action at each decision point after a sequence, and a plan after each action."""
    following = _following(game, player)

    def after(sequence: int) -> Iterator[Plan]:
        choices = [
            [rest | {action} for action in point for rest in after(action)] for point in following.get(sequence, [])
        ]
        for parts in itertools.product(*choices):
            yield frozenset[int]().union(*parts)

    return after(game.num_sequences + player)


def _following(game: gb.Game, player: int) -> dict[int, list[range]]:
    """The player's decision points, each as the range of its sequences, by the player's sequence before them."""
    firsts, parents = game.sequence_form.first_sequences.tolist(), game.sequence_form.parent_sequences.tolist()
    following: dict[int, list[range]] = {}
    for point in range(*game.sequence_form.player_blocks[player : player + 2].tolist()):
        following.setdefault(parents[point], []).append(range(firsts[point], firsts[point + 1]))
    return following


def _profiles(plans: list[list[Plan]]) -> Iterator[Profile]:
    return itertools.product(*(range(len(own)) for own in plans))


def _payoffs(game: gb.Game, plans: list[list[Plan]], profile: Profile) -> tuple[Fraction, ...]:
    """Sum over the terminals that the plans allow. A plan that contains a sequence also contains its predecessors."""
    form = game.sequence_form
    totals = [ZERO] * game.num_players
    for terminal, lasts in enumerate(form.last_sequences.T.tolist()):
        if all(
            last >= game.num_sequences or last in plans[player][profile[player]] for player, last in enumerate(lasts)
        ):
            chance = exactly(form.chance[terminal])
            totals = [
                total + chance * exactly(payoff)
                for total, payoff in zip(totals, form.payoffs[:, terminal], strict=True)
            ]
    return tuple(totals)


def exactly(number: float) -> Fraction:
    """Return the simple fraction that rounds to this float, or the exact value of the float if there is none."""
    exact = Fraction(float(number))
    simple = exact.limit_denominator(SIMPLEST)
    return simple if abs(simple - exact) <= abs(exact) * Fraction(1, 2**51) else exact


def _without_copies(form: NormalForm) -> NormalForm:
    """Keep one of several plans with the same payoffs for all players, which does not change equilibrium payoffs."""
    kept = []
    for player, own in enumerate(form.plans):
        first_of: dict[tuple[tuple[Fraction, ...], ...], int] = {}
        for plan in range(len(own)):
            row = tuple(payoffs for profile, payoffs in form.payoffs.items() if profile[player] == plan)
            first_of.setdefault(row, plan)
        kept.append(list(first_of.values()))
    plans = [[own[plan] for plan in keep] for own, keep in zip(form.plans, kept, strict=True)]
    numbers = zip(_profiles(plans), itertools.product(*kept), strict=True)
    return NormalForm(plans, {new: form.payoffs[old] for new, old in numbers})


def _as_equilibrium(game: gb.Game, form: NormalForm, mixtures: tuple[Vector, ...]) -> Equilibrium:
    payoffs: list[Number] = [ZERO] * game.num_players
    for profile, pays in form.payoffs.items():
        weight = math.prod((own[plan] for own, plan in zip(mixtures, profile, strict=True)), start=ONE)
        payoffs = [total + weight * payoff for total, payoff in zip(payoffs, pays, strict=True)]
    return Equilibrium(mixtures, tuple(payoffs), _as_policy(game, form, mixtures))


def _as_policy(game: gb.Game, form: NormalForm, mixtures: tuple[Vector, ...]) -> gb.Policy:
    """Each action's share of the weight of the plans that reach its decision point; uniform if none does."""
    weights: list[Number] = [ZERO] * game.num_sequences
    for own, shares in zip(form.plans, mixtures, strict=True):
        for plan, share in zip(own, shares, strict=True):
            for sequence in plan:
                weights[sequence] += share
    probabilities = np.zeros(game.num_sequences)
    for point in game.decision_points:
        row = weights[point.sequences]
        total = sum(row)
        probabilities[point.sequences] = [float(weight / total) if total else 1 / len(row) for weight in row]
    return gb.Policy(game, probabilities)


def _unit(index: int, length: int) -> Vector:
    return tuple(ONE if i == index else ZERO for i in range(length))


# ------------------------------------------------------------------------------------------------ two players


def extreme_equilibria(first: Matrix, second: Matrix) -> list[tuple[Vector, Vector]]:
    """Return the extreme equilibria of a game with two payoff matrices, whose rows are the first player's plans."""
    a = [[Fraction(payoff) for payoff in row] for row in first]
    b = [[Fraction(payoff) for payoff in row] for row in second]
    rows = [tuple(row) for row in a]
    columns = list(zip(*b, strict=True))
    return [
        (x, y)
        for x, y in itertools.product(_vertices(columns), _vertices(rows))
        if _support(x) <= _best_responses(rows, y) and _support(y) <= _best_responses(columns, x)
    ]


def nash_subsets(extremes: list[tuple[Vector, Vector]]) -> list[tuple[list[Vector], list[Vector]]]:
    """Return the maximal Nash subsets, products of convex hulls, each as both players' extreme strategies.

    The set of all equilibria is the union of these products. They are the largest sets X and Y of extreme strategies
    such that every pair is an equilibrium.
    """
    partners: dict[Vector, frozenset[Vector]] = {}
    for x, y in extremes:
        partners[x] = partners.get(x, frozenset()) | {y}
    closed = set(partners.values())
    while True:
        more = {one & other for one, other in itertools.combinations(closed, 2)} - closed - {frozenset()}
        if not more:
            break
        closed |= more
    return [([x for x, ys in partners.items() if ys >= common], sorted(common)) for common in closed]


def _support(mixture: Vector) -> set[int]:
    return {plan for plan, share in enumerate(mixture) if share}


def _best_responses(payoffs: Sequence[Sequence[Fraction]], mixture: Vector) -> set[int]:
    """The rows that pay most against a mixture of columns."""
    values = [sum(payoff * share for payoff, share in zip(row, mixture, strict=True)) for row in payoffs]
    return {plan for plan, value in enumerate(values) if value == max(values)}


def _vertices(payoffs: Sequence[Sequence[Fraction]]) -> list[Vector]:
    """All mixtures x of columns that are vertices of {(x, v): no row pays more than v against x}.

    Payoffs are made positive whole numbers, which changes no best response. Then z = x / v has z >= 0 and M z <= 1. A
    vertex other than 0 solves as many of these rows, with equality, as it has positive entries.
    """
    lowest = min(min(row) for row in payoffs)
    scale = math.lcm(*(payoff.denominator for row in payoffs for payoff in row))
    positive = [[int((payoff - lowest + 1) * scale) for payoff in row] for row in payoffs]
    rows, columns = len(positive), len(positive[0])
    if math.comb(rows + columns, columns) > MAX_BASES:
        raise TooLargeError(f"more than {MAX_BASES} bases of a {rows} x {columns} matrix")
    found: dict[Vector, None] = {}
    for size in range(1, min(rows, columns) + 1):
        for tight in itertools.combinations(range(rows), size):
            for used in itertools.combinations(range(columns), size):
                z, unit = solve([[*(positive[i][j] for j in used), 1] for i in tight])
                if not unit or min(z) < 0:
                    continue
                if all(sum(row[j] * part for j, part in zip(used, z, strict=True)) <= unit for row in positive):
                    shares = dict(zip(used, z, strict=True))
                    found[tuple(Fraction(shares.get(j, 0), sum(z)) for j in range(columns))] = None
    return list(found)


def solve(system: list[list[int]]) -> tuple[list[int], int]:
    """Solve linear equations whose last column is the right side, by elimination in whole numbers (Bareiss).

    The solution is the first result divided by the second, which is positive, or 0 if there is not just one solution.
    """
    rows, size, divisor = list(system), len(system), 1
    for step in range(size):
        pivot = next((i for i in range(step, size) if rows[i][step]), None)
        if pivot is None:
            return [], 0
        rows[step], rows[pivot] = rows[pivot], rows[step]
        top = rows[step]
        for i, row in enumerate(rows):
            if i != step:
                factor = row[step]
                rows[i] = [(top[step] * own - factor * of_top) // divisor for own, of_top in zip(row, top, strict=True)]
        divisor = top[step]
    sign = 1 if divisor > 0 else -1
    return [sign * row[-1] for row in rows], sign * divisor


# ------------------------------------------------------------------------------------------------ three players


def _of_three_players(form: NormalForm) -> Iterator[tuple[Vector, ...]]:
    """All equilibria of three players with at most two plans each, by their supports.

    A player with two plans plays the first, the second, or mixes; who mixes must be indifferent.
    """
    choices: list[list[Number | None]] = [[ONE, ZERO, None] if count == 2 else [ONE] for count in form.shape]
    for support in itertools.product(*choices):  # shares of the first plan, None for a player who mixes
        for shares in _indifferent(form, support):
            gains = [_gain(form, player, shares) for player in range(3)]
            if all(
                own is None or gain == 0 or (gain > 0) == (own == 1) for own, gain in zip(support, gains, strict=True)
            ):
                yield tuple((p, 1 - p)[:count] for p, count in zip(shares, form.shape, strict=True))


def _gain(form: NormalForm, player: int, shares: Sequence[Number]) -> Number:
    """How much more a player's first plan pays than its second, given the shares of the others' first plans."""
    if form.shape[player] == 1:
        return ONE
    total: Number = ZERO
    for profile, payoffs in form.payoffs.items():
        weight: Number = payoffs[player] if profile[player] == 0 else -payoffs[player]
        for other in {0, 1, 2} - {player}:
            weight *= shares[other] if profile[other] == 0 else 1 - shares[other]
        total += weight
    return total


def _indifferent(form: NormalForm, support: Sequence[Number | None]) -> Iterator[list[Number]]:
    """All shares, strictly between 0 and 1 for the players who mix, that make these indifferent."""
    mixing = [player for player, share in enumerate(support) if share is None]

    def gain(player: int, *of_mixing: Number) -> Number:
        return _gain(form, player, _filled(support, of_mixing))

    if not mixing:
        yield _filled(support, [])
    elif len(mixing) == 1:
        if gain(mixing[0], ZERO) == 0:
            raise DegenerateGameError("a player is indifferent while all others play pure plans")
    elif len(mixing) == 2:
        first, second = mixing
        of_second = _root(gain(first, ZERO, ZERO), gain(first, ZERO, ONE))
        of_first = _root(gain(second, ZERO, ZERO), gain(second, ONE, ZERO))
        if of_first is not None and of_second is not None:
            yield _filled(support, [of_first, of_second])
    else:
        yield from _all_indifferent(gain)


def _filled(support: Sequence[Number | None], of_mixing: Sequence[Number]) -> list[Number]:
    rest = iter(of_mixing)
    return [next(rest) if share is None else share for share in support]


def _root(at_zero: Number, at_one: Number) -> Number | None:
    """Where a linear function that has these values at 0 and 1 is zero, strictly between them."""
    if at_zero == at_one == 0:
        raise DegenerateGameError("a player is indifferent whatever another one does")
    return at_zero / (at_zero - at_one) if at_zero * at_one < 0 else None


def _all_indifferent(gain: Callable[..., Number]) -> Iterator[list[Number]]:
    """All (p, q, r) strictly between 0 and 1 at which nobody gains.

    The second player's gain is (1 - r) f_0 + r f_1, where f_0 and f_1 are linear functions of p, so that
    r = f_0 / (f_0 - f_1). The third player's gives q = g_0 / (g_0 - g_1) in the same way. Put into the first player's
    gain, which is bilinear in q and r, and multiplied by both denominators, this is a quadratic equation for p.
    """
    f = [_line(gain(1, ZERO, ZERO, r), gain(1, ONE, ZERO, r)) for r in (ZERO, ONE)]
    g = [_line(gain(2, ZERO, q, ZERO), gain(2, ONE, q, ZERO)) for q in (ZERO, ONE)]
    for zero, one in (f, g):
        if zero == one:
            if _root(zero[0], sum(zero)) is not None:
                raise DegenerateGameError("a player's gain depends on one other player only")
            return
    coefficients = [ZERO] * 3
    for i, j in itertools.product((0, 1), repeat=2):
        corner = (-1) ** (i + j) * Fraction(gain(0, ZERO, Fraction(i), Fraction(j)))
        (a, b), (c, d) = g[1 - i], f[1 - j]  # q is proportional to g_0, 1 - q to -g_1
        coefficients = [
            old + corner * new for old, new in zip(coefficients, (a * c, a * d + b * c, b * d), strict=True)
        ]
    for p in _roots(*coefficients):
        if not 0 < p < 1:
            continue
        q, r = _share(g, p), _share(f, p)
        if q is None and r is None:
            raise DegenerateGameError("two players are indifferent whatever each other does")
        if q is None and r is not None and 0 < r < 1:
            q = _root(gain(0, p, ZERO, r), gain(0, p, ONE, r))
        elif r is None and q is not None and 0 < q < 1:
            r = _root(gain(0, p, q, ZERO), gain(0, p, q, ONE))
        if q is not None and r is not None and 0 < q < 1 and 0 < r < 1:
            yield [p, q, r]


def _share(lines: list[tuple[Fraction, Fraction]], p: Number) -> Number | None:
    """Solve (1 - share) zero(p) + share one(p) = 0; infinity if no share does, None if every share does."""
    at_zero, at_one = (constant + slope * p for constant, slope in lines)
    if at_zero == at_one:
        return math.inf if at_zero else None
    return at_zero / (at_zero - at_one)


def _line(at_zero: Number, at_one: Number) -> tuple[Fraction, Fraction]:
    """Constant and slope of a linear function."""
    return Fraction(at_zero), Fraction(at_one) - Fraction(at_zero)


def _roots(constant: Fraction, linear: Fraction, square: Fraction) -> list[Number]:
    """Return the real roots of a polynomial, exact ones if they are rational."""
    if not square:
        if not linear and not constant:
            raise DegenerateGameError("a continuum of equilibria in which all players mix")
        return [-constant / linear] if linear else []
    inside = linear**2 - 4 * square * constant
    if inside < 0:
        return []
    numerator, denominator = math.isqrt(inside.numerator), math.isqrt(inside.denominator)
    rational = numerator**2 == inside.numerator and denominator**2 == inside.denominator
    root = Fraction(numerator, denominator) if rational else math.sqrt(inside)
    larger = -(linear + root if linear > 0 else linear - root) / (2 * square)  # avoids cancellation
    return [larger, constant / (square * larger)] if root and larger else [larger]
