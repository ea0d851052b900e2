"""The measurements of large games, and the tool that takes them."""

import json
from dataclasses import asdict, replace

from tools import large_games as tool
from tools.large_games import TARGET, Attempt, from_dict, large_games

import gamebench as gb

ENTRIES = large_games()


def test_what_was_measured_has_the_sizes_of_its_row():
    assert len({entry.game for entry in ENTRIES}) == len(ENTRIES) >= 9
    for entry in ENTRIES:
        row, about = gb.catalogue.LARGE_GAMES[entry.game], (entry.category, entry.players, entry.decision_points)
        assert (*about, entry.fingerprint) == (row.category, row.players, row.decision_points, row.fingerprint)
        assert entry.decision_points < entry.sequences < entry.terminals < entry.histories
        assert entry.histories > 500_000  # as the page states


def test_measurements_are_plausible():
    for entry in ENTRIES:
        assert tuple(attempt.method for attempt in entry.attempts) == tool.methods_for(
            gb.catalogue.LARGE_GAMES[entry.game]
        )
        assert entry.best in entry.attempts
        assert 0 < entry.seconds_from_cache < entry.seconds_from_open_spiel
        assert {*entry.versions} >= {"gamebench", "numba", "open_spiel"}
        assert entry.machine["cores"] >= 1
        for attempt in entry.attempts:
            assert attempt.is_solved or attempt.seconds >= entry.limit
            assert attempt.memory > 50e6  # Python and its libraries alone


def test_the_best_is_the_fastest_that_arrives_or_else_the_nearest():
    slow, fast, far, near = (
        Attempt(name, 1, seconds, gap, 1)
        for name, seconds, gap in (("slow", 2, TARGET), ("fast", 1, TARGET), ("far", 9, 0.5), ("near", 10, 0.1))
    )
    entry = replace(ENTRIES[0], limit=10.0, attempts=(far, slow, near, fast))
    assert (entry.best, entry.not_solved) == (fast, "")
    entry = replace(entry, attempts=(far, near))
    assert (entry.best, entry.not_solved) == (near, "not in 10 s")


def test_entries_can_be_written_and_read():
    assert tuple(map(from_dict, json.loads(json.dumps([asdict(entry) for entry in ENTRIES])))) == ENTRIES
