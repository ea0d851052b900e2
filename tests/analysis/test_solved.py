"""The shipped solved games: the list is complete and reproducible."""

import json
from dataclasses import asdict
from fractions import Fraction

import pytest
from tools import solved_games as tool
from tools.standard_games import STANDARD_GAMES

import gamebench as gb
from gamebench.analysis.exact.solution import concept_for
from gamebench.analysis.exact.solved import EQUILIBRIUM, as_fraction
from gamebench.core.choices import CORRELATED
from gamebench.evidence.methods import FIELD
from gamebench.games.catalogue import named_game

ENTRIES = gb.solved_games()
BY_KEY = {entry.key: entry for entry in ENTRIES}
LARGE = 2_000
"""Decision points of games that are not loaded here, because that would take long."""
RECOMPUTED = [
    *("Kuhn-A", "TinyHanabi-C", "TradeComm", "Kuhn-2", "Leduc", "Goofspiel-4", "MCCKuhn-B", "MCCGoofspiel"),
    *("matrix_shapleys_game", "blotto(players=2,coins=5,fields=3)", "sheriff(max_items=3,max_bribe=1,num_rounds=2)"),
]


def loaded(entry):
    teams = None if entry.game in gb.catalogue.PAPER_GAMES else entry.teams
    return gb.load_game(entry.game, teams=teams, coordinated=entry.coordinated)


def test_every_game_of_the_list_is_there_once():
    assert len(BY_KEY) == len(ENTRIES)
    expected = {(standard.game, standard.coordinated) for standard in STANDARD_GAMES}
    assert {(entry.game, entry.coordinated) for entry in ENTRIES} == expected
    names = {entry.game for entry in ENTRIES}
    assert {*FIELD} <= names
    assert len(names - {*FIELD}) >= 30
    assert len({entry.fingerprint for entry in ENTRIES}) == len({entry.name for entry in ENTRIES})


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.name} {entry.concept}")
def test_certificates(entry):
    unit = max(1.0, *map(abs, entry.payoffs))
    if entry.concept == EQUILIBRIUM:
        assert (entry.value, entry.fraction, entry.lower, entry.upper) == (None,) * 4
        assert entry.players > 2
        assert 0 <= entry.incentive <= entry.gap < 1e-2
        assert entry.made_by.startswith("CRD ")
        return
    assert entry.lower <= entry.value <= entry.upper
    assert entry.gap == entry.upper - entry.lower
    assert entry.gap < 1e-9 * unit
    assert entry.incentive < 1e-9 * unit
    if entry.fraction is not None:
        assert abs(Fraction(entry.fraction) - Fraction(entry.value)) <= max(entry.gap, 1e-12)
    reached = sum(entry.payoffs) if entry.concept in CORRELATED else entry.payoffs[0]
    assert entry.value == pytest.approx(reached, abs=1e-12 * unit)
    assert entry.objective == ("SocialWelfare" if entry.concept in CORRELATED else None)


def test_coarse_equilibria_are_at_least_as_good():
    for entry in ENTRIES:
        if entry.concept == "EFCE":
            assert BY_KEY[entry.name, "CCE"].value >= entry.value - 1e-9


def test_the_games_are_those_that_load():
    for entry in [entry for entry in ENTRIES if entry.decision_points <= LARGE and entry.concept != "EFCE"]:
        game = loaded(entry)
        assert game.name == entry.name, entry
        assert game.fingerprint == entry.fingerprint, entry
        assert (str(game.category), game.num_players) == (entry.category, entry.players), entry
        assert game.num_decision_points == entry.decision_points, entry
        if entry.concept != EQUILIBRIUM:
            assert concept_for(game) == entry.concept, entry


def test_large_games_with_a_shorthand_are_those_that_load():
    for name in FIELD:
        row = named_game(name)
        for entry in ENTRIES:
            if entry.game == name and not entry.coordinated:
                assert (entry.fingerprint, entry.open_spiel) == (row.fingerprint, row.open_spiel)


def test_recomputed():
    for name in RECOMPUTED:
        for entry in (entry for entry in ENTRIES if entry.game == name):
            choices = {"concept": entry.concept} if entry.concept in CORRELATED else {}
            solution = gb.solve_exactly(loaded(entry), **choices)
            assert solution.concept == entry.concept, name
            assert solution.value == pytest.approx(entry.value, abs=1e-9), name


def test_known_values():
    for name, concept, fraction in [
        ("Kuhn-2", "minimax", "-1/18"),
        ("MCCKuhn-A [coordinated]", "minimax", "-1/48"),
        ("MCCKuhn-B [coordinated]", "minimax", "7/528"),
        ("MCCGoofspiel [coordinated]", "minimax", "1/4"),
        ("kuhn_poker(players=3) [teams 1,2/0] [coordinated]", "minimax", "5/264"),
        ("kuhn_poker(players=4) [teams 0,1/2,3] [coordinated]", "minimax", "-7/380"),
        ("Bargaining", "EFCE", "78/5"),
        ("Battleship", "EFCE", "3/4"),
        ("tic_tac_toe", "minimax", "0"),
        ("Leduc", "minimax", None),
    ]:
        assert BY_KEY[name, concept].fraction == fraction, name


def test_fractions():
    for value, gap, fraction in [
        (-1 / 18, 0.0, Fraction(-1, 18)),
        (7 / 528, 1e-10, Fraction(7, 528)),
        (1e-17, 1e-15, Fraction(0)),
        (10.0, 0.0, Fraction(10)),
        (1234 / 9973, 1e-15, Fraction(1234, 9973)),
        (1234 / 9973, 1e-9, None),  # some fraction with so large a denominator is near any number
        (0.08560642407800, 1e-12, None),
        (2**0.5, 0.0, None),
        (1 / 3 + 1e-10, 1e-12, None),
    ]:
        assert as_fraction(value, gap) == fraction, value


def test_the_tool_solves_what_is_missing_or_has_changed(tmp_path, monkeypatch, capsys):
    file, written = tmp_path / "solved.json", []
    monkeypatch.setattr(tool, "SHIPPED", file)
    monkeypatch.setattr(tool.pages, "write", written.append)
    monkeypatch.setattr(
        tool, "STANDARD_GAMES", [standard for standard in STANDARD_GAMES if standard.game in ("Kuhn-2", "matrix_cd")]
    )
    monkeypatch.setattr("sys.argv", ["solved_games"])
    tool.main()
    made = json.loads(file.read_text())
    assert [(entry["game"], entry["concept"]) for entry in made] == [
        *(("Kuhn-2", "minimax"), ("matrix_cd", "CCE"), ("matrix_cd", "EFCE"))
    ]
    assert written == ["solved-games"]
    assert "as before" not in capsys.readouterr().out
    changed = [made[0] | {"fingerprint": "another"}, made[1] | {"made_by": "exact 0"}, made[2] | {"value": 77.0}]
    file.write_text(json.dumps(changed))
    tool.main()
    again = json.loads(file.read_text())
    assert again[0]["fingerprint"] == made[0]["fingerprint"]
    assert again[1]["made_by"] == made[1]["made_by"]
    assert again[2]["value"] == 77.0  # kept: nothing indicates a change
    assert capsys.readouterr().out.count("as before") == 1
    monkeypatch.setattr("sys.argv", ["solved_games", "--again", "CD"])
    tool.main()
    assert json.loads(file.read_text())[2]["value"] == pytest.approx(16 / 3)


def test_entries_can_be_written_and_read():
    text = json.dumps([asdict(entry) for entry in ENTRIES])
    assert tuple(map(tool.from_dict, json.loads(text))) == ENTRIES
    assert tool.SHIPPED.name == "solved.json"
