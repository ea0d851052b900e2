"""The graph of a team's beliefs, compared with its definition and with all joint plans."""

import random
from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench import kernels
from gamebench.games.sequence_form import SequenceForm
from gamebench.games.teams import beliefs
from gamebench.games.teams.coordination import leaves_of, members_plan
from tests.games.coordinated_games import by_number, coordinated, hands, policy_of_kinds, team_games
from tests.oracles.coordinated_teams import plan_weights, pure_plans
from tests.oracles.naive_coordinators import beliefs_of, parents_of, plan_of, weights_of

SEEDS = st.integers(0, 2**32 - 1)
PAIR = [[0, 1], [2]]


def graph_of(game, team, max_beliefs=10**6):
    """The graph of a team, and the order of its decision points."""
    tuples, _ = leaves_of(game.sequence_form, team)
    return beliefs.belief_graph(game.sequence_form, tuples, max_beliefs), beliefs._order(
        game.sequence_form, tuples
    ).tolist()


def realised(game, policy):
    x = np.empty(game.num_sequences + game.num_players)
    kernels.realise(game.sequence_form, np.array(policy.probabilities), x)
    return x


@given(team_games(max_nodes=60))
@settings(max_examples=60)
def test_beliefs_are_those_of_the_definition(game):
    for team in game.teams:
        graph, order = graph_of(game, team)
        expected = beliefs_of(game, team, order)
        ends = Counter(link for _, _, link in expected.links if isinstance(link, tuple))
        ends.update(link for link in expected.first if isinstance(link, tuple))
        is_belief = graph.points >= 0
        assert is_belief.sum() == len(expected.points)
        assert (~is_belief).sum() == sum(count > 1 for count in ends.values())
        assert len(graph.leaf_sequences) == len(ends)
        # Each belief with what is prescribed there, where the team may be, and how many sequences lead to it.
        parents = Counter(link for _, _, link in expected.links) + Counter(expected.first)
        found = Counter(
            (
                int(graph.points[d]),
                tuple(sorted(graph.beliefs[graph.belief_starts[d] : graph.belief_starts[d + 1]].tolist())),
                int(graph.parent_starts[d + 1] - graph.parent_starts[d]),
            )
            for d in np.flatnonzero(is_belief)
        )
        assert found == Counter(
            (point, tuple(sorted(node[1] for node in belief)), parents[belief])
            for belief, point in expected.points.items()
        )
        links_to_ends = np.diff(graph.parent_starts)[~is_belief]
        assert sorted(links_to_ends) == sorted(count for count in ends.values() if count > 1)


@given(team_games())
@settings(max_examples=40)
def test_orders_have_parents_first(game):
    parents, points = game.sequence_form.parent_sequences, game.sequence_form.decision_points_of_sequences()
    for team in game.teams:
        _, order = graph_of(game, team)
        assert sorted(order) == [point.index for point in game.decision_points if point.player in team]
        for rank, point in enumerate(order):
            assert parents[point] >= game.num_sequences or points[parents[point]] in order[:rank]


@given(team_games(max_nodes=40), SEEDS)
@settings(max_examples=30)
def test_joint_plans_reach_exactly_the_leaves_that_they_allow(game, seed):
    """A joint plan of the members, as a policy of their coordinator, has the weights 0 and 1 of the plan."""
    between, generator = coordinated(game), random.Random(seed)
    for index, team in enumerate(game.teams):
        try:
            plans = [pure_plans(game, member) for member in team]
        except ValueError:  # there are too many
            continue
        for _ in range(20):
            drawn = [generator.choice(own) for own in plans]
            played = np.zeros(game.num_sequences)
            played[[sequence for own in drawn for sequence in own]] = 1
            for point in game.decision_points:
                if not played[point.sequences].any():  # never reached, or another team's
                    played[point.first_sequence + generator.randrange(len(point.actions))] = 1
            x = realised(between, gb.lift(between, gb.Policy(game, played)))
            expected = np.prod([plan_weights(game, *each) for each in zip(team, drawn, strict=True)], axis=0)
            assert (x[between.sequence_form.last_sequences[index]] == expected).all()
            assert set(x[between.sequence_form.sequences_of(index)]) <= {0.0, 1.0}


@given(team_games(), SEEDS)
@settings(max_examples=40)
def test_plans_of_coordinators_are_joint_plans(game, seed):
    """Prescriptions never give a decision point two actions, and the members' plan has the same weights."""
    between = coordinated(game)
    prescriptions, place = between.coordination.prescriptions, game.sequence_form.decision_points_of_sequences()
    x = realised(between, policy_of_kinds(between, seed, ("pure",)))
    for index, team in enumerate(game.teams):
        own = between.sequence_form.sequences_of(index)
        prescribed = prescriptions[own][x[own] > 0.5]
        points = place[prescribed[prescribed >= 0]].tolist()
        assert len(set(points)) == len(points)
        plan = members_plan(between, index, x > 0.5)
        weights = np.prod([weights_of(game, member, plan) for member in team], axis=0)
        assert (x[between.sequence_form.last_sequences[index]] == weights).all()


@given(team_games(), SEEDS, st.sampled_from([("dense", "zeros"), ("pure",)]))
@settings(max_examples=60)
def test_weights_and_masses_are_summed_over_parents(game, seed, kinds):
    """A plan plays at most one of several parents. Chance and the others allow each prescription at a belief alike."""
    between = coordinated(game)
    policy, parents = policy_of_kinds(between, seed, kinds), parents_of(between)
    x, (_, reach), form = realised(between, policy), gb.action_values(between, policy), between.sequence_form
    assert x == pytest.approx(plan_of(between, policy.probabilities), abs=1e-12)
    mass = np.zeros(len(x))
    for player, last in enumerate(form.last_sequences):
        np.add.at(mass, last, form.chance * np.delete(x[form.last_sequences], player, axis=0).prod(axis=0))
    for point, above in reversed(list(zip(between.decision_points, parents, strict=True))):
        assert len(set(above)) == len(above)
        assert x[point.sequences].sum() == pytest.approx(x[above].sum(), abs=1e-12)
        assert x[above].sum() <= 1 + 1e-12
        assert mass[point.sequences] == pytest.approx(reach[point.index], abs=1e-12)
        mass[above] += mass[point.first_sequence]
    assert mass[between.num_sequences :] == pytest.approx(1, abs=1e-12)


# Orders and sizes


def any_order(form, tuples, generator):
    """The team's decision points in a random order with parents first."""
    points = form.decision_points_of_sequences()
    left = {int(points[move]) for last in tuples for move in beliefs.moves_to(form, last)[1]}
    order = []
    while left:
        above = {d: form.parent_sequences[d] for d in left}
        free = sorted(d for d, s in above.items() if s >= form.num_sequences or points[s] not in left)
        order.append(generator.choice(free))
        left.remove(order[-1])
    return np.array(order, dtype=np.int64)


@given(team_games(max_nodes=60), SEEDS)
@settings(max_examples=30)
def test_any_order_is_right(game, seed):
    """Only the size of the graph depends on the order, not the values of best responses or how lifted policies play."""
    generator, policy = random.Random(seed), policy_of_kinds(game, seed)
    usual = coordinated(game)
    with patch.object(beliefs, "_order", lambda form, tuples: any_order(form, tuples, generator)):
        other = coordinated(game)
    lifted = gb.lift(usual, policy), gb.lift(other, policy)
    exact = 1e-12 * game.max_abs_payoff
    values = [gb.expected_values(each, own) for each, own in zip((usual, other), lifted, strict=True)]
    gains = [gb.improvements(each, own) for each, own in zip((usual, other), lifted, strict=True)]
    assert values[0] == pytest.approx(values[1], abs=exact)
    assert gains[0] == pytest.approx(gains[1], abs=exact)
    for team in range(len(game.teams)):
        [first, second] = [gb.best_response(usual, lifted[0], team), gb.best_response(other, lifted[1], team)]
        assert first.value == pytest.approx(second.value, abs=exact)


def sizes(game):
    """Beliefs, ends and links of each coordinator."""
    form, is_end = game.sequence_form, game.coordination.prescriptions[game.sequence_form.first_sequences[:-1]] < 0
    links = np.ones(len(is_end), int) if form.parent_starts is None else np.diff(form.parent_starts)
    blocks = [slice(begin, end) for begin, end in zip(form.player_blocks[:-1], form.player_blocks[1:], strict=True)]
    return [(int((~is_end[own]).sum()), int(is_end[own].sum()), int(links[own].sum())) for own in blocks]


SIZES = {
    "MCCKuhn-A": [(830, 132, 4020), (16, 0, 16)],
    "MCCKuhn-B": [(421, 132, 1802), (16, 0, 16)],
    "MCCGoofspiel": [(61, 0, 61), (10, 0, 10)],
}


def test_sizes_of_graphs():
    for name, expected in SIZES.items():
        game = gb.load_game(name, coordinated=True)
        assert sizes(game) == expected
        assert (game.sequence_form.parent_starts is None) == (name == "MCCGoofspiel")
    game = gb.load_game("kuhn_poker(players=4)", teams=[[0, 1], [2, 3]], coordinated=True)
    assert [(beliefs, ends) for beliefs, ends, _ in sizes(game)] == [(13531, 460), (1582, 460)]


def test_another_order_makes_graphs_larger():
    game, generator = gb.load_game("MCCKuhn-A"), random.Random(0)
    with patch.object(beliefs, "_order", lambda form, tuples: any_order(form, tuples, generator)):
        (found, _, _), lone = sizes(gb.with_coordination(game))
    assert found > 10 * 830
    assert lone == (16, 0, 16)


def test_a_belief_that_needs_more_room_than_all_before():
    """The first belief has 21 nodes and 40 prescribed actions, each of which keeps all other nodes."""
    game = hands([40] + [1] * 20, PAIR)
    assert sizes(gb.with_coordination(game))[0][0] == 43  # if the member who sees nothing comes first
    with patch.object(beliefs, "_order", by_number):
        found = gb.with_coordination(game)
    assert sizes(found) == [(1 + 40 * 21, 40, 1 + 40 * 21 + 2 * 40 * 20), (0, 0, 0)]
    policy = gb.random_policy(game, 1)
    assert gb.expected_values(found, gb.lift(found, policy))[0] == pytest.approx(
        gb.expected_values(game, policy)[0], abs=1e-12
    )


NEVER_CHOOSING = [
    (PAIR, [(5, 0, 5), (0, 0, 0)]),
    ([[0], [1, 2]], [(2, 0, 2), (1, 0, 1)]),
    ([[0, 1, 2]], [(5, 0, 5)]),
    ([[0, 2], [1]], [(2, 0, 2), (1, 0, 1)]),
]


def test_players_who_never_choose():
    """A team of such players has an empty graph, and adding one to a team leaves its graph the same."""
    for teams, expected in NEVER_CHOOSING:
        game = hands([2, 2], teams)
        found = gb.with_coordination(game)
        assert sizes(found) == expected
        policy = gb.random_policy(game, 3)
        for index, team in enumerate(game.teams):
            response = gb.best_response(found, gb.lift(found, policy), index)
            assert response.value == pytest.approx(gb.best_response(game, policy, team).value, abs=1e-12)


def test_orders_in_games_with_very_many_decision_points():
    """The products of two numbers of decision points exceed 32 bits. Here parents do not come first by themselves.

    P, a point of the first member, meets one of two actions at the second one's only point, X, which therefore comes
    first. C, which follows P, never meets X.
    """
    others = 100_000
    firsts = np.array([*range(others + 1), others + 2, others + 3, others + 5])  # ..., P, C, X
    p, c, x = others, others + 1, others + 2
    nobody = firsts[-1]
    form = SequenceForm(
        player_blocks=np.array([0, others + 2, others + 3]),
        first_sequences=firsts,
        parent_sequences=np.array([*[nobody] * (others + 1), firsts[p] + 1, nobody + 1]),
        chance=np.ones(4),
        payoffs=np.zeros((2, 4)),
        last_sequences=np.array(
            [[firsts[p], firsts[p] + 1, nobody, firsts[c]], [firsts[x], firsts[x], firsts[x] + 1, nobody + 1]]
        ),
    )
    assert beliefs._order(form, form.last_sequences.astype(np.int64)).tolist() == [x, p, c]


# The budget


def test_too_many_beliefs_are_refused_as_soon_as_they_are_found():
    """Each belief is counted when it is found, and at most one belief is expanded beyond the budget."""
    tuples, _ = leaves_of(gb.load_game("MCCKuhn-A").sequence_form, (0, 1))
    form = gb.load_game("MCCKuhn-A").sequence_form
    assert len(beliefs.belief_graph(form, tuples, 830).points) == 830 + 132
    for budget in (1, 10, 100, 829):
        with pytest.raises(beliefs.TooManyBeliefsError) as caught:
            beliefs.belief_graph(form, tuples, budget)
        assert budget < caught.value.found <= budget + 30
        assert caught.value.expanded <= budget
    everywhere = hands([2] * 30, PAIR)  # a billion beliefs
    with (
        patch.object(beliefs, "_order", by_number),
        pytest.raises(gb.errors.GameTooLargeError, match=r"5,00\d beliefs were found after expanding \d,\d+ of them"),
    ):
        gb.with_coordination(everywhere, max_beliefs=5000)


def test_memory_is_also_limited(monkeypatch):
    monkeypatch.setattr(beliefs, "ENTRIES_PER_BELIEF", 1)
    with pytest.raises(gb.errors.GameTooLargeError, match="too large for the memory"):
        gb.load_game("MCCKuhn-A", coordinated=True, max_beliefs=1000)
