"""The measurements of large games that come with the package, their page, and the tool that makes both."""

import json
from dataclasses import asdict, replace

from tools import large_games as tool

import gamebench as gb
from gamebench.games.large_games import TARGET, Attempt, from_dict, large_games

ENTRIES = large_games()


def test_every_large_game_is_there_once_with_the_sizes_of_its_row():
    rows = gb.LARGE_GAMES.values()
    assert [(entry.game, entry.fingerprint) for entry in ENTRIES] == [(row.shorthand, row.fingerprint) for row in rows]
    for entry, row in zip(ENTRIES, rows, strict=True):
        about = (entry.category, entry.players, entry.decision_points)
        assert about == (row.category, row.players, row.decision_points)
        assert entry.decision_points < entry.sequences < entry.terminals < entry.histories
        assert entry.histories > 500_000  # as the page says


def test_measurements_are_plausible():
    for entry in ENTRIES:
        assert tuple(attempt.method for attempt in entry.attempts) == tool.methods_for(gb.LARGE_GAMES[entry.game])
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
    assert "| not in 10 s | 1.0e-01 |" in tool.as_markdown([entry])


def test_entries_can_be_written_and_read():
    assert tuple(map(from_dict, json.loads(json.dumps([asdict(entry) for entry in ENTRIES])))) == ENTRIES


def test_the_page_is_made_of_the_file():
    """If not: ``python -m tools.large_games --page``."""
    assert tool.as_markdown(ENTRIES) == tool.PAGE.read_text(encoding="utf-8")


def test_which_methods_are_tried():
    assert tool.methods_for(gb.FIELD_GAMES["Kuhn-2"]) == tool.METHODS
    assert tool.methods_for(gb.CATALOG["Kuhn"])[-1] == tool.methods_for(gb.CATALOG["Battleship"])[-1] == "MMD-KL"


def test_the_tool_measures_what_is_missing_or_named(tmp_path, monkeypatch, capsys):
    file, page = tmp_path / "large.json", tmp_path / "page.md"
    page.write_text("before\n<!-- measured -->\n<!-- /measured -->\nafter\n")
    monkeypatch.setattr(tool, "SHIPPED", file)
    monkeypatch.setattr(tool, "PAGE", page)
    monkeypatch.setattr(tool, "LARGE_GAMES", {name: gb.FIELD_GAMES[name] for name in ("Kuhn-2", "Goofspiel-4")})
    monkeypatch.setattr(tool, "METHODS", ("CFR+",))

    def told(*arguments):
        monkeypatch.setattr("sys.argv", ["large_games", *arguments])
        tool.main()
        return capsys.readouterr().out, [from_dict(entry) for entry in json.loads(file.read_text())]

    said, [kuhn] = told("Kuhn-2", "--time", "1e-9")
    assert "58 histories" in said
    row = gb.FIELD_GAMES["Kuhn-2"]
    assert (kuhn.fingerprint, kuhn.decision_points, kuhn.histories) == (row.fingerprint, row.decision_points, 58)
    assert (kuhn.best.method, kuhn.not_solved) == ("CFR+", "not in 1e-09 s")
    assert kuhn.best.nash_conv > TARGET
    assert "| Kuhn-2 | 2 | 12 |" in page.read_text()
    assert page.read_text().startswith("before\n")
    assert page.read_text().endswith("after\n")

    marked = replace(kuhn, made="before")
    monkeypatch.setattr(tool, "measured", lambda name, limit: replace(marked, game=name, made=f"again, {limit}"))
    tool.write({"Kuhn-2": marked})
    said, entries = told("--time", "2")
    assert "1/2 Kuhn-2: as before" in said
    assert [(entry.game, entry.made) for entry in entries] == [("Kuhn-2", "before"), ("Goofspiel-4", "again, 2.0")]
    said, entries = told()  # the other one does not have the fingerprint of its game
    assert [entry.made for entry in entries] == ["before", f"again, {tool.LIMIT}"]
    said, entries = told("Kuhn-2", "--time", "3")
    assert entries[0].made == "again, 3.0"
    assert told("--page")[1] == entries
