"""Policies as mappings, data frames, printed tables and notebook tables."""

import dataclasses
import pickle
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.histories import CHANCE, TERMINAL, walk_histories
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from gamebench.games.sequence_form import realisation
from tests.oracles import random_games


def shared_states():
    """Kuhn poker in which both players have the same information states."""
    game = gb.load_game("kuhn_poker")
    labels = dataclasses.replace(game.labels, information_states=tuple("abcdef") + tuple("abcdeg"))
    return dataclasses.replace(game, name="shared", labels=labels)


def test_a_policy_is_a_mapping():
    policy = gb.random_policy("kuhn_poker", seed=1)
    assert len(policy) == len(list(policy)) == 12
    assert list(policy)[:2] == ["0", "0pb"]
    assert all(key in policy and policy[key] == row for key, row in policy.items())
    assert policy.get("nonsense") is None
    assert "nonsense" not in policy
    assert 3 not in policy
    assert (1, "0") not in policy
    assert policy[0, "0"] == policy["0"] == policy[policy.game.decision_points[0]]
    assert next(iter(policy.values())) == policy["0"]
    table = policy.to_dict()
    table["0"]["Pass"] = 2.0  # the dictionary is a copy
    assert policy["0"]["Pass"] != 2.0


def test_keys_name_the_player_where_a_state_is_shared():
    policy = gb.random_policy(shared_states(), seed=2)
    assert [key for key in policy if isinstance(key, str)] == ["f", "g"]
    assert len(set(policy)) == 12
    assert all(key in policy for key in policy)
    assert policy[1, "a"] == policy[policy.game.decision_points[6]]
    assert "a" not in policy
    with pytest.raises(gb.errors.PolicyError, match=r"Several players .* use a pair \(player, information state\)"):
        policy["a"]
    with pytest.raises(gb.errors.PolicyError, match="has the players 0 to 1, not 2"):
        policy[2, "a"]
    assert list(policy.to_dict()) == list(policy)


def test_equality_is_by_game_and_probabilities():
    one, same, other = (gb.random_policy("kuhn_poker", seed) for seed in (1, 1, 2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one == pickle.loads(pickle.dumps(one))
    scaled = gb.load_game("kuhn_poker", payoff_scale=2)
    assert one != gb.Policy(scaled, one.probabilities)
    assert one != one.to_dict()
    renamed = dataclasses.replace(one.game, name="another name")
    assert one == gb.Policy(renamed, one.probabilities)
    signed = np.array([1.0, 0.0] * 12)
    pure = gb.Policy(one.game, signed)
    assert hash(pure) == hash(gb.Policy(one.game, np.where(signed == 0, -0.0, signed)))


def naive_reach(game, policy):
    """The reach probability of each decision point, summed over its histories."""
    reach, histories = np.zeros(game.num_decision_points), walk_histories(game)

    def visit(probability):
        history = next(histories)
        if history.player == TERMINAL:
            return
        if history.player != CHANCE:
            reach[history.point.index] += probability
        for chance in history.chances or policy[history.point].values():
            visit(probability * chance)

    visit(1.0)
    return reach


@given(random_games.efg_games())
@settings(max_examples=20)
def test_reach_against_a_walk(text):
    source = Source("efg", text)
    game = flatten(original_game(source), "random", source, 10_000)
    policy = gb.random_policy(game, seed=1)
    frame = policy.to_pandas()
    assert list(frame.columns) == ["player", "information_state", "action", "probability", "reach"]
    owners = game.sequence_form.decision_points_of_sequences()
    assert frame["reach"].to_numpy() == pytest.approx(naive_reach(game, policy)[owners], abs=1e-12)
    assert frame["probability"].tolist() == policy.probabilities.tolist()
    points = [game.decision_points[owner] for owner in owners]
    assert frame["player"].tolist() == [point.player for point in points]
    assert frame["information_state"].tolist() == [point.information_state for point in points]


def test_reach_of_coordinators():
    """Only terminals follow a last belief, so its reach is their total probability."""
    game = gb.load_game("MCCKuhn-B", coordinated=True)
    policy = gb.random_policy(game, seed=1)
    form = game.sequence_form
    x = realisation(form, policy.probabilities)
    probability = form.chance * x[form.last_sequences].prod(axis=0)
    has_next = np.isin(np.arange(game.num_sequences), form.parent_sequences)
    frame, found = policy.to_pandas(), 0
    for point in game.decision_points:
        if not has_next[point.sequences].any():
            is_after = np.isin(form.last_sequences[point.player], np.arange(game.num_sequences)[point.sequences])
            assert frame["reach"][point.first_sequence] == pytest.approx(probability[is_after].sum(), abs=1e-12)
            found += 1
    assert found > 10


class Cells(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.rows, self.inside = [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        assert tag in ("table", "caption", "b", "thead", "tbody", "tr", "th", "td", "p")
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside &= tag != "td"

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def test_the_view_in_a_notebook_is_escaped_and_short():
    game = gb.load_game("Leduc")
    states = ("<b>&", *game.labels.information_states[1:])
    policy = gb.uniform_policy(
        dataclasses.replace(game, labels=dataclasses.replace(game.labels, information_states=states))
    )
    html = policy._repr_html_()
    rows = Cells(html).rows
    assert rows[1] == ["0", "<b>&", "Call 0.5, Raise 0.5", "0.166667"]
    assert len(rows) == 21
    assert "916 more decision points" in html


def test_printing_a_policy_shows_a_table():
    policy = gb.random_policy("kuhn_poker", seed=1)
    title, head, first, *_ = str(policy).splitlines()
    assert title == repr(policy) == "Policy('kuhn_poker', 12 decision points)"
    assert head.split("  ")[0] == "player"
    assert first.split()[:2] == ["0", "0"]
    assert len(str(policy).splitlines()) == 14
    assert "..." in str(gb.uniform_policy("Leduc")).splitlines()[2]  # replaces the middle of a long information state


def test_a_game_in_which_nobody_chooses(tmp_path):
    file = tmp_path / "chance.efg"
    file.write_text('EFG 2 R "c" { "A" } c "" 1 "" { "h" 1/2 "t" 1/2 } 0 t "" 1 "" { 1 } t "" 2 "" { 0 }')
    policy = gb.uniform_policy(gb.load_game(file))
    assert len(policy) == 0
    assert policy.to_dict() == {}
    assert len(policy.to_pandas()) == 0
    assert str(policy).startswith("Policy('chance.efg', 0 decision points)")
    assert policy == policy


def test_views_of_mixtures_games_and_results():
    game = gb.load_game("kuhn_poker")
    mixture = gb.Mixture([gb.uniform_policy(game), gb.random_policy(game)], weights=[1, 3])
    assert repr(mixture) == "Mixture('kuhn_poker', 2 policies)"
    assert len(mixture) == 2
    rows = Cells(mixture._repr_html_()).rows[1:]
    assert [row[:2] for row in rows] == [["1", "0.75"], ["0", "0.25"]]
    assert rows[1][4:] == ["0.125", "-0.125"]
    assert rows[1][3].startswith("1p: Pass 0.5, Bet 0.5; 1b: ")
    assert ["histories", "58"] in Cells(game._repr_html_()).rows
    result = gb.solve(game, "CFR+", 2)
    assert ["NashConv", "0.916667", f"{result.curve.last['NashConv']:.6g}"] in Cells(result._repr_html_()).rows
    assert "NashConv" in result.curve._repr_html_()


ENTRY = """EFG 2 R "Market entry" { "Entrant" "Incumbent" }
p "" 1 1 "Market" { "Stay out" "Enter" } 0
t "" 1 "" { 0 5 }
p "" 2 1 "Entry" { "Fight" "Accommodate" } 0
t "" 2 "" { -3/2 -1 }
p "" 1 2 "Entry" { "Leave" "Remain" } 0
t "" 3 "" { 0 3 }
t "" 4 "" { 2 2 }
"""


def test_tables_have_the_names_of_players_and_of_information_sets(tmp_path):
    """A name shared by two information sets is ambiguous."""
    (tmp_path / "entry.efg").write_text(ENTRY)
    policy = gb.uniform_policy(gb.load_game(tmp_path / "entry.efg"))
    assert [line.split()[:2] for line in str(policy).splitlines()[2:]] == [
        ["Entrant", "Market"],
        ["Entrant", "0-0-2-Entry"],
        ["Incumbent", "1-1-1-Entry"],
    ]
    assert Cells(policy._repr_html_()).rows[1][:2] == ["Entrant", "Market"]
    assert list(policy) == ["0-0-1-Market", "0-0-2-Entry", "1-1-1-Entry"]
    assert policy.to_pandas()["player"].tolist() == [0, 0, 0, 0, 1, 1]


def test_a_mixture_shows_what_is_played_where_own_choices_lead(tmp_path):
    (tmp_path / "entry.efg").write_text(ENTRY)
    game = gb.load_game(tmp_path / "entry.efg")
    out, enter = ({"Market": move, "0-0-2-Entry": "Leave", "1-1-1-Entry": [0.5, 0.5]} for move in ("Stay out", "Enter"))
    mixture = gb.Mixture([gb.Policy.from_dict(game, out), gb.Policy.from_dict(game, enter)], weights=[1, 3])
    assert str(mixture).splitlines() == [
        "Mixture('entry.efg', 2 policies)",
        "policy  weight  Entrant                            Incumbent                   "
        "payoff of Entrant  payoff of Incumbent",
        "1       0.75    Market: Enter; 0-0-2-Entry: Leave  Fight 0.5, Accommodate 0.5  -0.75              1",
        "0       0.25    Market: Stay out                   Fight 0.5, Accommodate 0.5  0                  5",
    ]


def test_a_mixture_of_a_large_game_has_no_plans():
    game = gb.load_game("Leduc")
    mixture = gb.Mixture([gb.uniform_policy(game)] * 30)
    columns = str(mixture).splitlines()[1].split("  ")
    assert [column.strip() for column in columns if column] == [
        *("policy", "weight", "payoff of player 0", "payoff of player 1")
    ]
    assert str(mixture).endswith("... and 10 more with smaller weights; mixture.policies and mixture.weights list all.")
