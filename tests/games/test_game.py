"""The properties of a game, and the checks of its fields."""

import dataclasses

import numpy as np
import pandas
import pytest

import gamebench as gb
from gamebench.games.sequence_form import SequenceForm
from tests.helpers import refuses


def test_decision_points_of_a_game():
    game = gb.load_game("Kuhn")
    point = game.decision_points[0]
    assert (point.index, point.player, point.information_state, point.actions) == (0, 0, "0", ("Pass", "Bet"))
    assert [point.index for point in game.decision_points] == list(range(48))
    assert [point.player for point in game.decision_points] == [0] * 16 + [1] * 16 + [2] * 16
    assert "48 decision points" in repr(game)


def test_arrays_cannot_be_written_to():
    arrays = [
        gb.load_game("Kuhn").sequence_form.arrays(),
        gb.load_game("MCCKuhn-B", coordinated=True).sequence_form.arrays(),
    ]
    assert [len(named) for named in arrays] == [6, 7]
    for array in [array for named in arrays for array in named.values()]:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_the_fingerprint_sees_every_array_and_name():
    game = gb.load_game("Kuhn")
    seen = {game.fingerprint}
    for name in ("chance", "payoffs"):
        changed = np.array(getattr(game.sequence_form, name))
        changed.flat[0] += 1e-15 + abs(changed.flat[0]) * 1e-15
        seen.add(dataclasses.replace(game, sequence_form=game.sequence_form._replace(**{name: changed})).fingerprint)
    labels = dataclasses.replace(game.labels, information_states=("other", *game.labels.information_states[1:]))
    seen.add(dataclasses.replace(game, labels=labels).fingerprint)
    assert len(seen) == 4
    assert dataclasses.replace(game, name="another name").fingerprint == game.fingerprint


BROKEN = {
    "parents must come before children": ("parent_sequences", lambda a: np.where(np.arange(len(a)) == 0, 95, a)),
    "the player blocks must cover all decision points": ("player_blocks", lambda a: a + 1),
    "every decision point must have an action": ("first_sequences", lambda a: np.minimum(a, 50)),
    "there must be one first sequence": ("first_sequences", lambda a: a + 1),
    "there must be one parent sequence": ("parent_sequences", lambda a: a[:-1]),
    "payoffs must be finite": ("payoffs", lambda a: np.where(a == a.max(), np.nan, a)),
    "payoffs must be given": ("payoffs", lambda a: a[:2]),
    "chance must be non-negative": ("chance", lambda a: -a),
    "last sequences at a terminal must be its players' own": ("last_sequences", lambda a: a[::-1]),
}


def test_arrays_that_are_not_a_game_are_refused():
    game = gb.load_game("Kuhn")
    for complaint, (name, spoil) in BROKEN.items():
        with pytest.raises(gb.errors.GameError, match=complaint):
            dataclasses.replace(
                game, sequence_form=game.sequence_form._replace(**{name: spoil(getattr(game.sequence_form, name))})
            )
    with pytest.raises(gb.errors.GameError, match="must belong to exactly one team"):
        dataclasses.replace(game, teams=((0, 1), (1, 2)))


def test_from_payoffs():
    rng = np.random.default_rng(0)
    payoffs = rng.normal(size=(2, 3, 4, 3))
    game = gb.Game.from_payoffs(payoffs)
    assert (game.num_players, game.num_decision_points, game.num_sequences) == (3, 3, 9)
    assert (game.num_terminals, game.num_histories) == (24, 1 + 2 + 6 + 24)
    policy = gb.random_policy(game, 1)
    p, q, r = (policy.probabilities[game.sequence_form.sequences_of(player)] for player in range(3))
    assert gb.expected_values(game, policy) == pytest.approx(np.einsum("abci,a,b,c->i", payoffs, p, q, r), abs=1e-12)
    responses = [
        np.einsum("abc,b,c->a", payoffs[..., 0], q, r).max(),
        np.einsum("abc,a,c->b", payoffs[..., 1], p, r).max(),
        np.einsum("abc,a,b->c", payoffs[..., 2], p, q).max(),
    ]
    assert [gb.best_response(game, policy, player).value for player in range(3)] == pytest.approx(responses, abs=1e-12)


def test_a_game_does_not_change_with_the_array_of_its_payoffs():
    payoffs = np.ones((2, 2, 2))
    game = gb.Game.from_payoffs(payoffs)
    payoffs[:] = 3
    assert game.source.payoffs.max() == game.sequence_form.payoffs.max() == 1


def test_from_payoffs_knows_its_category():
    matching_pennies = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    assert gb.Game.from_payoffs(matching_pennies).category == "zero-sum"
    assert gb.Game.from_payoffs(matching_pennies + np.array([5, 0])).category == "zero-sum"  # constant-sum
    assert gb.Game.from_payoffs(np.abs(matching_pennies) * [1, 2]).category == "zero-sum"
    assert gb.Game.from_payoffs([[[1, 1], [0, 0]], [[0, 0], [2, 2]]]).category == "cooperative"
    assert gb.Game.from_payoffs([[[3, 3], [0, 5]], [[5, 0], [1, 1]]]).category == "general-sum"
    assert gb.Game.from_payoffs([[3.0], [1.0]]).category == "single-agent"


def test_a_coordinator_counts_as_often_as_it_has_members():
    """The totals of teams decide whether a game is zero-sum, not the sum of their means."""
    worth = np.arange(8.0).reshape(2, 2, 2) ** 2
    two_against_one = np.stack([worth, worth, -2 * worth], axis=-1)
    one_against_one = np.stack([worth, worth, -worth], axis=-1)  # the means sum to 0, the totals do not
    for payoffs, is_zero_sum in ((two_against_one, True), (two_against_one + 5, True), (one_against_one, False)):
        full = gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 1], [2]])
        game = gb.with_coordination(full)
        assert full.team_sizes.tolist() == [1, 1, 1]
        assert game.team_sizes.tolist() == [2, 1]
        assert game.is_zero_sum == full.is_zero_sum == is_zero_sum
        assert game.category == ("zero-sum" if is_zero_sum else "general-sum")
    uneven = gb.with_teams(gb.Game.from_payoffs(two_against_one), [[0, 2], [1]])
    assert gb.with_coordination(uneven).is_zero_sum
    equal = gb.with_teams(gb.Game.from_payoffs(np.repeat(worth[..., None], 3, axis=-1)), [[0, 1], [2]])
    assert gb.with_coordination(equal).category == "cooperative"
    assert [gb.load_game(name, coordinated=True).category for name in ("MCCKuhn-A", "MCCGoofspiel")] == ["zero-sum"] * 2


def test_decision_points_with_several_parents_are_checked():
    game = gb.load_game("MCCKuhn-B", coordinated=True)
    starts, parents = game.sequence_form.parent_starts, game.sequence_form.parent_sequences
    falling = np.sort(starts - (starts == starts[3]))
    changes = [{"parent_starts": other} for other in (starts[:-1], starts + 1, falling)]
    broken = [
        *(("every decision point must have a parent sequence", change) for change in changes),
        ("every decision point must have a parent sequence", {"parent_sequences": parents[:-1]}),
        ("there must be one parent sequence per decision point", {"parent_starts": None}),
        ("parents must come before children", {"parent_sequences": np.full_like(parents, game.num_sequences - 1)}),
        (
            "the parent of a first move must be the empty sequence of its player",
            {"parent_sequences": np.full_like(parents, game.num_sequences)},
        ),
        ("parent sequences must exist", {"parent_sequences": np.full_like(parents, -1)}),
    ]
    for complaint, changes in broken:
        with pytest.raises(gb.errors.GameError, match=complaint):
            dataclasses.replace(game, sequence_form=game.sequence_form._replace(**changes))


def test_the_fingerprint_sees_the_coordination():
    full = gb.load_game("MCCKuhn-B")
    game = gb.with_coordination(full)
    labels = dataclasses.replace(full.labels, information_states=("other", *full.labels.information_states[1:]))
    others = [
        full,
        gb.with_coordination(dataclasses.replace(full, labels=labels)),
        gb.with_coordination(gb.with_payoff_scale(full, 2)),
        dataclasses.replace(
            game,
            sequence_form=game.sequence_form._replace(
                parent_sequences=game.sequence_form.parent_sequences[::-1].copy()[::-1]
            ),
        ),
    ]
    assert [other.fingerprint == game.fingerprint for other in others] == [False, False, False, True]


def test_payoffs_that_are_not_a_game():
    for wrong in (np.zeros((2, 2)), np.zeros((2, 2, 3)), np.zeros((2, 0, 2)), None, pandas.DataFrame({"a": [1, 2]}).T):
        refuses(gb.errors.GameError, "shape", gb.Game.from_payoffs, wrong)
    refuses(gb.errors.GameError, "finite", gb.Game.from_payoffs, np.full((2, 2, 2), np.nan))
    unreal = np.ones((2, 2, 2), complex), np.ones((2, 2, 2), "M8[D]")
    for wrong in ([[[1, 2], [3]]], "kuhn", 10**400, *unreal, object()):
        refuses(gb.errors.GameError, "array of numbers", gb.Game.from_payoffs, wrong)


def test_action_names_of_payoffs():
    game = gb.Game.from_payoffs(np.zeros((2, 2, 2)), actions=[["up", "down"], ["left", "right"]])
    assert gb.uniform_policy(game)["player 1"] == {"left": 0.5, "right": 0.5}
    for wrong in (5, [["up", "up"], ["left", "right"]], [[0, 1], [0, 1]], [[[], []], ["a", "b"]]):
        refuses(gb.errors.GameError, "action names", gb.Game.from_payoffs, np.zeros((2, 2, 2)), actions=wrong)


FOREIGN = [None, 3, "kuhn", b"kuhn", {"a": 1}, [None], [[1, 2], [3]], np.array([1j]), pandas.DataFrame([1]), object()]
"""Values of types that users may pass by mistake."""


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(gb.Game)])
def test_fields_of_another_type_are_refused(field):
    game = gb.load_game("kuhn_poker")
    valid = {"name": "kuhn"} | dict.fromkeys(("num_histories", "num_terminals", "max_abs_payoff", "payoff_scale"), 3)
    valid |= dict.fromkeys(("focus", "coordination", "declared_category", "player_names"))
    complaints = {"player_names": "The names of the players must be ", "teams": "(teams must be|Every player must) "}
    error = gb.errors.TeamsError if field == "teams" else gb.errors.GameError
    for wrong in FOREIGN:
        if field not in valid or wrong is not valid[field]:
            complaint = "^" + complaints.get(field, f"{field} must be ")
            refuses(error, complaint, dataclasses.replace, game, **{field: wrong})


@pytest.mark.parametrize("name", SequenceForm._fields)
def test_arrays_of_another_type_are_refused(name):
    game = gb.load_game("kuhn_poker")
    for wrong in (*FOREIGN, [], [[]], np.zeros((2, 2, 2))):
        if wrong is not None or name != "parent_starts":
            form = game.sequence_form._replace(**{name: wrong})
            complaint = "^The arrays do not describe a game: "
            refuses(gb.errors.GameError, complaint, dataclasses.replace, game, sequence_form=form)


@pytest.mark.parametrize("name", ["information_states", "actions", "action_ids"])
def test_labels_of_another_type_are_refused(name):
    labels = gb.load_game("kuhn_poker").labels
    for wrong in (*FOREIGN, [1.5], [10**30], ["a", 3]):
        refuses(
            gb.errors.GameError, f"^The labels' {name} must be a list of ", dataclasses.replace, labels, **{name: wrong}
        )


def test_fields_of_numpy_types_are_converted():
    game = gb.load_game("kuhn_poker")
    same = dataclasses.replace(
        game, num_histories=np.int64(58), teams=np.array([[1], [0]]), declared_category="zero-sum"
    )
    assert (type(same.num_histories), same.teams) == (int, ((1,), (0,)))
    assert same.category is gb.games.Category.ZERO_SUM
    assert len(same.fingerprint) == 16
