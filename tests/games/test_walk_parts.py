"""Walks that are cut into parts and merged find exactly what a single walk finds, wherever they are cut."""

import pickle
import random
from itertools import product

import pytest

import gamebench as gb
from gamebench.games.catalogue import FIELD_GAMES, PAPER_GAMES
from gamebench.games.game import Source
from gamebench.games.loading.openspiel import being_played, original_game, with_information_states
from gamebench.games.loading.walk import Walk
from gamebench.games.loading.walk_parts import Assembly
from gamebench.games.loading.walk_worker import walk_part
from tests.games.test_flatten import HandMade

LARGE = {"leduc_poker(players=3)"}
"""Others are of the same kind."""
CATALOGUE = sorted({entry.open_spiel for entry in (*PAPER_GAMES.values(), *FIELD_GAMES.values())} - LARGE)
OTHERS = [
    "add_noise(epsilon=1.0,seed=1,game=kuhn_poker())",
    "blotto(players=2,coins=4,fields=3)",
    "catch(rows=3,columns=3)",  # one player, perfect information
    "cliff_walking(height=2,width=3,horizon=4)",
    "coop_box_pushing(horizon=1)",  # simultaneous, observations
    "coop_to_1p(game=tiny_hanabi())",
    "coordinated_mp",
    "dark_hex(board_size=2,num_rows=2,num_cols=2)",
    "deep_sea(size=4)",  # observations
    "first_sealed_auction(players=2,max_value=5)",
    "goofspiel(num_cards=3,points_order=random,returns_type=win_loss)",
    "havannah(board_size=2)",
    "kuhn_poker(players=4)",
    "leduc_poker(players=2,suit_isomorphism=true)",
    "markov_soccer(horizon=2)",  # simultaneous, perfect information
    "matching_pennies_3p",
    "misere(game=kuhn_poker())",
    "mnk(m=3,n=2,k=2)",
    "nim(pile_sizes=2;3)",
    "oh_hell(players=3,num_suits=2,num_cards_per_suit=3,num_tricks_fixed=1)",
    "oshi_zumo(coins=3,size=1,horizon=3)",
    "pathfinding(horizon=2)",
    "pig(winscore=5,horizon=5)",
    "repeated_game(stage_game=matrix_pd(),num_repetitions=2)",
    "restricted_nash_response(game=kuhn_poker())",
    "solitaire(players=1,depth_limit=2)",
    "start_at(game=kuhn_poker(),history=1;0)",
    "trade_comm(num_items=3)",
]


def game_of(text):
    return with_information_states(original_game(Source("open_spiel", text)), text)


def in_one(original, count=10**9):
    walk = Walk("the game", original.num_players())
    walk.begin(original)
    walk.advance(count)
    return walk


def in_parts(original, first, most, pieces, seed=0):
    """Cut after ``first`` histories and again after ``most`` of each part; parts are walked in a random order."""
    assembly, taken, rng = Assembly(in_one(original, first), pieces), [], random.Random(seed)
    while not assembly.is_merged:
        while (part := assembly.take()) is not None:
            taken.append(part)
        part = taken.pop(rng.randrange(len(taken)))
        findings = walk_part(original, "the game", part.subtrees, most, lambda histories: None)
        assembly.receive(part, pickle.loads(pickle.dumps(findings)), pieces)
        while assembly.can_merge:
            assembly.merge()
    return assembly.walk


def facts(walk):
    """All findings of a walk, including the order of its dictionaries."""
    return {name: list(map(list, value)) if name == "points" else value for name, value in vars(walk).items()}


@pytest.mark.parametrize("text", [*CATALOGUE, *OTHERS])
def test_parts_of_a_game(text):
    original = game_of(text)
    whole = in_one(original)
    assert whole.is_over
    for seed in (0, 1, 4) if whole.histories < 10_000 else (1,):
        first, most = 1 + whole.histories // (3 + 4 * seed), 1 + whole.histories // (5 + 4 * seed)
        parts = in_parts(original, first, most, pieces=1 + 2 * seed, seed=seed)
        assert facts(parts) == facts(whole)


def test_a_cut_after_every_history():
    original = game_of("kuhn_poker(players=3)")
    assert facts(in_parts(original, 1, 1, 3)) == facts(in_one(original))


def test_walks_with_expensive_restarts_are_not_cut(monkeypatch):
    original = game_of("kuhn_poker")
    monkeypatch.setattr("gamebench.games.loading.walk.MOST_MOVES_AGAIN", 0)
    walk = in_one(original, 10)
    assert not walk.is_cuttable
    part = Assembly(walk, 1).take()
    assert not walk_part(original, "the game", part.subtrees, 1, lambda histories: None).rest


def made(**points):
    """Three moves of two actions each; ``points`` are other nodes, such as ``at_01=(1, "x", [0])``."""
    tree = {}
    nodes = [(), *((a,) for a in (0, 1)), *((a, b) for a in (0, 1) for b in (0, 1))]
    for node in nodes:
        tree[node] = (len(node) % 2, f"{len(node)}: {node[len(node) % 2 :: 2]}", [0, 1])
    for node, player in ((node, player) for node in nodes if len(node) == 2 for player in (0, 1)):
        tree[*node, player] = [1.0, -1.0]
    for name, value in points.items():
        tree[tuple(map(int, name.removeprefix("at_")))] = value
    return HandMade(tree)


FAULTS = [
    ({}, None),
    ({"at_10": (0, "2: (0,)", [0, 1])}, "lacks perfect recall: player 0 can reach the information state '2"),
    ({"at_1": (1, "1: ()", [0])}, "different legal actions at two histories of the information state '1: "),
    ({"at_1": (1, "1: ()", [])}, "different legal actions at two histories of the information state '1: "),
    ({"at_1": (1, "other", [])}, "no actions, or the same action twice, at the information state 'other'"),
    ({"at_101": ["crash", 0.0]}, "OpenSpiel failed while 'the game' was played"),
    # The first of several errors in the order of the walk is raised.
    ({"at_10": (0, "2: (0,)", [0, 1]), "at_11": (0, "2: (1,)", [])}, "lacks perfect recall"),
    ({"at_01": (0, "x", []), "at_11": (0, "2: (0,)", [0, 1])}, "no actions"),
]


def test_errors_are_those_of_a_single_walk():
    for points, complaint in FAULTS:
        whole = error_of(lambda points=points: in_one(made(**points)))
        assert complaint is None or complaint in whole[1] or "must be real number" in whole[1]
        for cut in product(range(1, 8), (1, 2, 4), (3,), range(2)):
            assert error_of(lambda points=points, cut=cut: in_parts(made(**points), *cut)) == whole


def error_of(action):
    with being_played("the game"):
        try:
            with being_played("the game"):
                action()
        except gb.errors.GameError as error:
            return type(error), str(error)
    return None, ""
