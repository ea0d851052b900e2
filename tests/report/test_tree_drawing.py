"""Drawn trees: their numbers are those of the game and the policy, and nothing overlaps."""

import math
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given, settings

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from gamebench.report.tree_layout import nodes_of, place_lines
from tests.oracles import random_games

SVG = "{http://www.w3.org/2000/svg}"


def parts(drawing, attribute):
    return [group for group in ET.fromstring(str(drawing)).iter(f"{SVG}g") if attribute in group.attrib]


def numbers(text):
    return [float(number) for number in text.split()]


def check_values(game, policy):
    drawing = gb.draw(game, policy)
    leaves = parts(drawing, "data-payoffs")
    assert len(leaves) == game.num_terminals
    assert len(leaves) + len(parts(drawing, "data-player")) == game.num_histories == drawing.num_histories
    reaches = [float(leaf.attrib["data-reach"]) for leaf in leaves]
    payoffs = [numbers(leaf.attrib["data-payoffs"]) for leaf in leaves]
    values = [
        math.fsum(r * p[player] for r, p in zip(reaches, payoffs, strict=True)) for player in range(game.num_players)
    ]
    assert math.fsum(reaches) == pytest.approx(1, abs=1e-12)
    assert values == pytest.approx(gb.expected_values(game, policy).tolist(), abs=1e-12)
    by_point = [0.0] * game.num_decision_points
    for node in parts(drawing, "data-point"):
        by_point[int(node.attrib["data-point"])] += float(node.attrib["data-reach"])
    frame = policy.to_pandas()
    assert by_point == pytest.approx([frame["reach"][p.first_sequence] for p in game.decision_points], abs=1e-12)
    return drawing


@given(random_games.efg_games())
@settings(max_examples=15)
def test_numbers_of_random_games(text):
    source = Source("efg", text)
    game = flatten(original_game(source), "random", source, 10_000)
    check_values(game, gb.random_policy(game, seed=1))


def test_numbers_of_other_kinds():
    for name, options in (("kuhn_poker", {"focal": 1}), ("matrix_rps", {"payoff_scale": 2.5})):
        game = gb.load_game(name, **options)
        check_values(game, gb.random_policy(game, seed=3))


def test_edges_carry_the_probabilities_of_their_moves():
    """Along each path of Kuhn poker, the product of the edges is the reach of the terminal."""
    game = gb.load_game("kuhn_poker")
    policy = gb.random_policy(game, seed=4)
    drawing = gb.draw(game, policy)
    edges = [float(edge.attrib["data-probability"]) for edge in parts(drawing, "data-probability")]
    nodes = nodes_of(game, None)
    assert len(edges) == len(nodes) - 1
    chance = dict(zip(nodes[1:], edges, strict=True))
    products = []
    for node in nodes:
        if not node.children:
            product = 1.0
            while node.parent is not None:
                product, node = product * chance[node], node.parent
            products.append(product)
    expected = [float(leaf.attrib["data-reach"]) for leaf in parts(drawing, "data-payoffs")]
    assert products == pytest.approx(expected, abs=1e-15)
    assert [e.text for e in ET.fromstring(str(drawing)).iter(f"{SVG}tspan") if "/" in (e.text or "")].count("1/3") == 3


def test_without_a_policy_there_are_only_chance_probabilities():
    drawing = gb.draw("kuhn_poker")
    assert not parts(drawing, "data-reach")
    assert len(parts(drawing, "data-probability")) == 9
    assert "grey numbers" not in str(drawing)
    joints = [path for path in ET.fromstring(str(drawing)).iter(f"{SVG}path") if path.get("class") == "joint"]
    assert len(joints) == 12  # every information set of Kuhn poker has two histories


def test_no_two_terminals_share_a_line_and_parents_are_in_the_middle():
    nodes = nodes_of(gb.load_game("Kuhn-A"), None)
    height = place_lines(nodes)
    lines = [node.y for node in nodes if not node.children]
    assert all(below - above >= 24 for above, below in pairwise(lines))
    assert max(lines) < height
    for node in nodes:
        heights = [child.y for child in node.children]
        assert heights == sorted(heights)
        assert not heights or heights[0] <= node.y <= heights[-1]


def test_texts_are_escaped_and_what_is_never_reached_is_pale():
    names = ['<script>&"', "\x07 bell\nand line"]
    payoffs = [[[1, -1], [-1, 1]]] * 2
    game = gb.Game.from_payoffs(payoffs, name="<&>", actions=[names, ["x" * 100, "y"]], players=["A&B", ""])
    text = str(gb.draw(game, gb.Policy(game, [1.0, 0.0, 0.5, 0.5])))
    root = ET.fromstring(text)
    assert next(element.text for element in root.iter(f"{SVG}text")) == "<&>"
    assert "x" * 100 in [title.text.split(":")[0] for title in root.iter(f"{SVG}title")]
    assert [element.text for element in root.iter(f"{SVG}text")][1:3] == ["A&B", "player 1"]
    assert "x" * 100 not in "".join(element.text or "" for element in root.iter(f"{SVG}text"))
    assert sum("never" in group.get("class", "") for group in root.iter(f"{SVG}g")) == 6


def test_tiny_probabilities_are_drawn_as_less_than_a_thousandth():
    game = gb.Game.from_payoffs([[[1, -1], [-1, 1]]] * 2)
    tree = ET.fromstring(str(gb.draw(game, gb.Policy(game, [1e-6, 1 - 1e-6, 0.0, 1.0]))))
    assert [edge.text for edge in tree.iter(f"{SVG}tspan") if edge.get("class") == "chance"][:2] == ["<0.001", "0"]
    assert "1e-06" not in "".join(text for each in tree.iter(f"{SVG}text") for text in each.itertext())
    assert "reached with probability 1e-06" in ET.tostring(tree, encoding="unicode")  # in a tooltip


def test_saving(tmp_path):
    drawing = gb.draw("kuhn_poker")
    drawing.save(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text() == str(drawing) == drawing._repr_svg_()
    with pytest.raises(gb.errors.GameBenchError, match=r"must end with \.svg"):
        drawing.save(tmp_path / "tree.png")
    with pytest.raises(gb.errors.GameBenchError, match="cannot be written"):
        drawing.save(tmp_path / "no such folder" / "tree.svg")


def test_what_cannot_be_drawn():
    with pytest.raises(gb.errors.GameError, match="between coordinators"):
        gb.draw(gb.load_game("MCCKuhn-B", coordinated=True))
    with pytest.raises(gb.errors.GameTooLargeError, match="'Leduc' has 9,457 histories"):
        gb.draw("Leduc")
    with pytest.raises(gb.errors.PolicyMismatchError):
        gb.draw("kuhn_poker", gb.uniform_policy("TinyHanabi-A"))
    with pytest.raises(gb.errors.SettingError, match="max_histories must be"):
        gb.draw("kuhn_poker", max_histories=0)
