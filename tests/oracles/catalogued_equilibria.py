"""The best Nash equilibria of the three general-sum games of the catalogue, which are too large to enumerate.

For each game an argument bounds what an equilibrium can pay, and an equilibrium attains the bound. Objectives are those
of `equilibria.OBJECTIVES`, or other functions of the payoffs that do not fall when a payoff rises.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

import gamebench as gb
from gamebench.core.arrays import FloatArray
from tests.oracles.equilibria import OBJECTIVES, Best, Equilibrium, Objective, exactly

Pair: TypeAlias = tuple[Fraction, Fraction]
NOTHING: Pair = Fraction(0), Fraction(0)


class Offer(NamedTuple):
    """An offer of the first player: what both get if the second agrees, and the sequences of offer and agreement."""

    pays: Pair
    sequence: int
    agreement: int


def best_of_trade_comm(objective: str | Objective) -> Best:
    """Return the best equilibrium of TradeComm: a trade that succeeds pays both 1, and nothing pays more.

    In the equilibrium both say which item they have, and each offers its own for that of the other.
    """
    game = gb.load_game("TradeComm")
    probabilities = np.zeros(game.num_sequences)
    for point in game.decision_points:
        facts = dict(line.split(":", 1) for line in point.information_state.splitlines())
        own, said = facts["My item"].strip(), facts["Comm history"].split()
        action = f"Utter {own}" if len(said) < 2 else f"Trade {own}:{said[1 - point.player]}"
        probabilities[point.first_sequence + point.actions.index(action)] = 1
    return _attained(game, (Fraction(1), Fraction(1)), probabilities, objective)


def best_of_bargaining(objective: str | Objective) -> Best:
    """Return the best equilibrium of Bargaining with two turns.

    Chance picks a pool and the values of both players; the first player's information identifies them. It makes an
    offer, and unless the second agrees, both get 0.

    Bound. Take any equilibrium, an instance that chance can pick, and the payoffs (v, w) there. The second player knows
    what an offer gives it, and agrees to every offer that is made and gives it something; so these pay the first player
    exactly v. If there are any, the one that gives the second player most pays it at least w. If there are none, w = 0,
    and any offer that is made gives the first player at least v, if agreed to. Either way (v, w) is at most what one
    offer pays. Hence the payoffs of the equilibrium are at most the sum, over instances, of what some choice of offers
    pays.

    Equilibrium. The second player agrees to the chosen offers and to nothing else. That is an equilibrium unless the
    second player cannot tell two instances apart and the first player prefers the other one's offer; `_consistent`
    leaves such choices out.
    """
    game = gb.load_game("Bargaining")
    function = OBJECTIVES[objective] if isinstance(objective, str) else objective
    instances = _offers(game)
    bound = max(function(pays) for pays in _sums([[offer] for offer in offers] for offers in instances))
    groups: dict[frozenset[int], list[list[Offer]]] = defaultdict(list)
    for offers in instances:
        groups[frozenset(offer.agreement for offer in offers)].append(offers)
    sums = _sums(_consistent(group) for group in groups.values())
    payoffs = max(sums, key=function)
    if function(payoffs) != bound:
        raise ArithmeticError("no equilibrium found that attains the bound")
    probabilities = np.zeros(game.num_sequences)
    chosen = [sequence for offer in sums[payoffs] for sequence in (offer.sequence, offer.agreement)]
    for point in game.decision_points:
        played = [sequence for sequence in chosen if point.sequences.start <= sequence < point.sequences.stop]
        probabilities[played or point.first_sequence] = 1  # the first answer is a counter-offer, which comes too late
    return _attained(game, payoffs, probabilities, objective)


def _offers(game: gb.Game) -> list[list[Offer]]:
    """The offers of each instance. Payoffs are multiplied by the probability of the instance."""
    instances: dict[int, list[Offer]] = defaultdict(list)
    form = game.sequence_form
    instance_of = form.decision_points_of_sequences()
    for (offer, answer), chance, payoffs in zip(
        form.last_sequences.T.tolist(), form.chance, form.payoffs.T, strict=True
    ):
        if game.labels.actions[answer] == "Agree":
            v, w = (exactly(chance) * exactly(payoff) for payoff in payoffs)
            instances[int(instance_of[offer])].append(Offer((v, w), offer, answer))
        elif payoffs.any():
            raise ValueError("something is paid without an agreement")
    if any(len({offer.sequence for offer in offers}) < len(offers) for offers in instances.values()):
        raise ValueError("the first player cannot tell two instances apart")
    return list(instances.values())


def _consistent(group: list[list[Offer]]) -> list[list[Offer]]:
    """All choices of an offer for each instance such that nobody prefers the offer of another instance."""
    found = []
    for choice in itertools.product(*group):
        agreed = {offer.agreement for offer in choice}
        if all(
            other.pays[0] <= chosen.pays[0]
            for offers, chosen in zip(group, choice, strict=True)
            for other in offers
            if other.agreement in agreed
        ):
            found.append(list(choice))
    return found


def _sums(choices: Iterable[Iterable[list[Offer]]]) -> dict[Pair, list[Offer]]:
    """The possible total payoffs of one choice from each list, with the offers that attain them.

    Totals that are dominated, with less for one player and no more for the other, are left out.
    """
    sums: dict[Pair, list[Offer]] = {NOTHING: []}
    for options in choices:
        distinct = _undominated({_total(option): option for option in options})
        sums = _undominated(
            {
                (v + more[0], w + more[1]): [*before, *option]
                for (v, w), before in sums.items()
                for more, option in distinct.items()
            }
        )
    return sums


def _undominated(offers_of: dict[Pair, list[Offer]]) -> dict[Pair, list[Offer]]:
    kept: dict[Pair, list[Offer]] = {}
    most = Fraction(-1)
    for v, w in sorted(offers_of, reverse=True):
        if w > most:
            kept[v, w], most = offers_of[v, w], w
    return kept


def _total(offers: Iterable[Offer]) -> Pair:
    v, w = (sum(parts, Fraction(0)) for parts in zip(*(offer.pays for offer in offers), strict=True))
    return v, w


def best_of_battleship(objective: str | Objective) -> Best:
    """Return the best equilibrium of Battleship; all of them pay the same, which `battleship_payoffs` proves.

    In the equilibrium both players place their ships and shoot at random, never twice at the same square.
    """
    game = gb.load_game("Battleship")
    return _attained(game, battleship_payoffs(squares=4), battleship_policy(game).probabilities, objective)


def battleship_policy(game: gb.Game) -> gb.Policy:
    """Return the policy that draws squares at random: any for the ship, and one not yet shot at for each shot."""
    probabilities = np.zeros(game.num_sequences)
    for point in game.decision_points:
        shots = [part.removeprefix("shot_")[:3] for part in point.information_state.split("/") if part[:5] == "shot_"]
        squares = [action.rsplit("(", 1)[1][:4].replace(", ", "_") for action in point.actions]
        fresh = [square not in shots for square in squares]
        probabilities[point.sequences] = np.array(fresh) / sum(fresh)
    return gb.Policy(game, probabilities)


def battleship_payoffs(squares: int, value: Fraction = Fraction(3, 2)) -> Pair:
    """Return what every equilibrium of Battleship pays: a ship of one square, two shots, losses that count half.

    Let p_0 and p_1 be the probabilities that players P0 and P1 sink the other's ship, which ends the game. The payoffs
    are 2 p_0 - p_1 and 2 p_1 - p_0, times half the value. Let x and y be the distributions of the squares a and b of
    P0's and P1's ships; x_1 >= x_2 >= ... and y_1 >= y_2 >= ... are their probabilities in descending order. Given the
    shots so far, a and b are independent. Consider an equilibrium and a history of shots that it reaches, and begin
    with the last decisions. "Blindly" means regardless of where one's own ship is.

    Shots 3 and 4. Before them, let B be the largest probability of b and m that of a. Let H and G be the probabilities
    that P0 and then P1 sinks. P1 can shoot at the likeliest a, so G >= (1 - B) m. P0 can shoot blindly at the likeliest
    b and gets at least 2 B - (1 - B) m. So 2 H - G >= 2 B - (1 - B) m, hence H >= B. As H <= B, this is H = B and
    G = (1 - B) m.

    Shot 2. Before it, let B be the largest probability of b, and a_1 >= a_2 >= ... those of a. If P1 shoots at f, let
    n_f be the largest probability of a at another square, and B_f that of b after f; the mean of B_f is at least B. By
    the step before, P1 gets the mean of 2 a(f) + 2 n_f - B_f (2 n_f + 1 - a(f)). Each of these is at most
    2 a_1 + 2 a_2 - B_f (2 a_2 + 1 - a_1), and less unless a(f) = a_1. So P1 gets at most
    2 a_1 + 2 a_2 - B (2 a_2 + 1 - a_1). By shooting blindly at the two likeliest squares it gets at least that. Hence
    there is equality everywhere: from here, P1 sinks with probability a_1 + (1 - B) a_2, and P0 with (1 - a_1) B.

    Shot 1. If P0 shoots at s, let n_s be the largest probability of b at another square, and a_1, a_2 the largest two
    of a after s. The mean of a_1 is at least x_1, that of a_1 + a_2 at least x_1 + x_2. By the step before, P0 gets the
    mean of 2 (y(s) + n_s) - a_1 (2 n_s + 1 - y(s)) - a_2 (1 - y(s) - n_s). This is at most
    2 (y_1 + y_2) - x_1 (2 y_2 + 1 - y_1) - x_2 (1 - y_1 - y_2). By shooting blindly at the two likeliest squares P0
    gets at least that. Hence there is equality everywhere: p_0 = y_1 + (1 - x_1) y_2 and
    p_1 = (1 - y_1) x_1 + (1 - y_1 - y_2) x_2.

    Ships. These formulas give 2 p_1 - p_0 = 2 (x_1 + x_2) - 3 x_1 y_1 - (1 - x_1 + 2 x_2) (y_1 + y_2), which is largest
    if y is uniform, and only then. P1 gets at least this largest value if it places its ship uniformly and shoots
    blindly at the likeliest two squares. So y is uniform, 1/n each. Then the formulas give
    2 p_0 - p_1 = 4/n - 3 x_1 / n - (1 - 2/n) (x_1 + x_2), which is largest if x is uniform, and only then. P0 gets at
    least this largest value by playing uniformly. So x is uniform.
    """
    share = Fraction(1, squares)
    first = share + share * (1 - share)
    second = (1 - share) * share + (1 - 2 * share) * share
    return value * (first - second / 2), value * (second - first / 2)


def _attained(game: gb.Game, payoffs: Pair, probabilities: FloatArray, objective: str | Objective) -> Best:
    function = OBJECTIVES[objective] if isinstance(objective, str) else objective
    return Best(function(payoffs), Equilibrium((), payoffs, gb.Policy(game, probabilities)))
