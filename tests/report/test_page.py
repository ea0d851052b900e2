"""The page holds exactly what is stored, and names in it stay text."""

import json
import math
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.choices import TimeAxis
from gamebench.experiments.store import Store
from gamebench.report.page import build_page
from gamebench.report.page import payload as payload_module
from gamebench.report.page import policies as policies_module
from gamebench.report.page.numbers import Numbering, packed
from gamebench.report.page.payload import Folder, payload_of
from gamebench.report.page.policies import explore
from gamebench.report.scores import score_columns, score_table, time_columns
from tests.report.stores import CLAIMS, NORMAL_FORM, WICKED, stored_mean, unpacked


@pytest.fixture(scope="module")
def store(made):
    return made[0]


@pytest.fixture(scope="module")
def payload(store):
    return payload_of(store)


class Reader(HTMLParser):
    """What a browser would see: the tags, and the text inside the data block."""

    def __init__(self):
        super().__init__()
        self.tags, self.inside, self.data, self.title, self.heading = [], None, "", "", ""

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = (tag, dict(attributes).get("id"))

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == ("script", "data"):
            self.data += data
        elif self.inside == ("title", None):
            self.title += data
        elif self.inside == ("h1", None):
            self.heading += data


def read(page):
    reader = Reader()
    reader.feed(page)
    return reader


def test_arrays_arrive_bit_for_bit():
    values = np.array([0.1, -0.0, 5e-324, 1e308, np.pi, np.inf])
    assert unpacked(packed(values)).tobytes() == values.tobytes()
    numbering = Numbering([], [])
    assert [numbering.array(values) for values in ([1, 2], [3.5], [1.0, 2.0])] == [0, 1, 0]
    assert unpacked(list(numbering.arrays)[1]).tolist() == [3.5]


def test_lines_are_the_stored_curves(store, payload):
    games, methods = [game["name"] for game in payload["games"]], [method["name"] for method in payload["methods"]]
    assert methods == ["CMD", "GMD", "GMD convex=x^2", "CFR+"]
    seen, frame = set(), gb.load_results(store.folder)
    for line in payload["lines"]:
        game, method = games[line["game"]], methods[line["method"]]
        for name, key in {"iteration": "iteration", "seconds": "seconds", line["measure"]: "mean"}.items():
            expected, seeds = stored_mean(frame, game, method, name)
            np.testing.assert_array_equal(unpacked(payload["arrays"][line[key]]), expected)
        assert line["seeds"] == seeds == (2 if method == "CMD" else 1)
        assert ("low" in line) == (seeds > 1)
        if seeds > 1:
            own = frame[(frame["game"] == game) & (frame["algorithm"] == method)]
            both = np.array([part[line["measure"]] for _, part in own.groupby("run")])
            np.testing.assert_array_equal(unpacked(payload["arrays"][line["low"]]), both.min(axis=0))
            np.testing.assert_array_equal(unpacked(payload["arrays"][line["high"]]), both.max(axis=0))
        seen.add((game, method, line["measure"]))
    assert len(seen) == len(payload["lines"]) == 4 * 4 * 2


def test_games_say_what_they_are(made, payload):
    assert [(game["name"], game["category"], game["measure"]) for game in payload["games"]] == [
        ("Leduc", "zero-sum", "NashConv"),
        ("MCCKuhn-A", "mixed", "NashConv"),
        (made[1], "general-sum", "NashConv"),
        ("kuhn_poker", "zero-sum", "NashConv"),
    ]
    assert payload["measures"]["SocialWelfare"]["lower"] is False
    [text] = [text for text in payload["explorer"]["games"].values() if text["hasTeams"]]
    assert text["teams"] == [[0, 1], [2]]


def test_policies_and_gains_are_exact(store, payload):
    shown = payload["explorer"]
    assert (shown["leftOut"], shown["impossible"]) == ({}, {})
    assert len(shown["policies"]) == sum(run.is_finished for run in store.runs())
    found = {(p["game"], p["method"], p["seed"]): p for p in shown["policies"]}
    games, methods = [game["name"] for game in payload["games"]], [method["name"] for method in payload["methods"]]
    game = gb.load_game("Leduc")
    for run in store.runs():
        description = run.description
        if description["game"] != "Leduc" or description["spec"]["algorithm"] == "GMD":
            continue
        key = games.index("Leduc"), methods.index(description["spec"]["algorithm"]), description["spec"]["seed"]
        numbers, policy = unpacked(found[key]["numbers"]), run.policy(game)
        reach, gains = explore(game, policy)
        expected = [*policy.probabilities, *reach, *gains]
        assert numbers.tolist() == expected
        text = shown["games"][found[key]["of"]]
        assert text["states"] == list(game.labels.information_states)
        point = game.decision_points[17]
        assert text["actions"][text["kinds"][17]] == list(point.actions)
        assert (text["first"][17], text["players"][17]) == (point.first_sequence, point.player)


def test_scores_are_those_of_the_score_table(store, payload):
    rows = score_table(Folder.read(store).results.contests)
    assert len(rows) == len(payload["scores"]["rows"])
    ends = {(line["game"], line["method"], line["measure"]): line["end"] for line in payload["lines"]}
    for shown in payload["scores"]["rows"]:  # the charts end where the scores say
        end = ends[shown["game"], shown["method"], shown["measure"]]
        assert [shown["mean"], shown["low"], shown["high"]] == end
    columns = {column.name: column for column in (*score_columns(), *time_columns(TimeAxis))}
    assert {column["name"] for column in payload["scores"]["columns"]} == {*columns}
    for row, shown in zip(rows, payload["scores"]["rows"], strict=True):
        assert payload["games"][shown["game"]]["name"] == row.contest.game
        assert payload["methods"][shown["method"]]["name"] == row.method
        assert shown["best"] == row.is_best
        numbers = {name: column.value(row) for name, column in columns.items() if column.kind not in ("game", "method")}
        finite = {name: None if value == math.inf else value for name, value in numbers.items()}
        assert {name: shown[name] for name in finite} == finite


def test_nothing_breaks_out_of_the_page(store, made):
    title = "</script><script>alert(2)</script><!-- & \ud800 \u2028"
    page = build_page(store, title=title, claims=CLAIMS, notes=["</script><img src=x onerror=alert(3)>"])
    page.encode()
    reader = read(page)
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert [tag for tag, _ in reader.tags].count("img") == 0
    assert reader.title == reader.heading == title.replace("\ud800", "?")
    data = json.loads(reader.data)
    assert made[1] in [game["name"] for game in data["games"]]
    assert data["notes"][0] == "</script><img src=x onerror=alert(3)>"
    assert not re.search("[<>&]", reader.data)
    # It loads nothing, and may not.
    assert not [attributes for _, attributes in reader.tags if {"src", "srcset", "action", "style"} & attributes.keys()]
    assert all(attributes["href"].startswith("#") for tag, attributes in reader.tags if "href" in attributes)
    [policy] = [attributes["content"] for tag, attributes in reader.tags if attributes.get("http-equiv")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "innerHTML" not in page


def test_an_empty_folder_and_the_command_that_makes_the_page_again(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("gamebench.experiments.provenance.plugins", list)  # whatever other tests have loaded
    store = Store(tmp_path / "results", create=True)
    page = build_page(store)
    assert len(page.encode()) < payload_module.FRAME  # which is reserved for what is on every page
    assert read(page).title == "Results in results"
    data = json.loads(read(page).data)
    assert (data["games"], data["lines"], data["scores"]["rows"]) == ([], [], [])
    here = {"output": Path("pages") / "mine.html", "title": "My runs"}
    for options, expected in (
        ({}, "gamebench report results"),
        (here, "gamebench report results --output pages/mine.html --title 'My runs'"),
        ({"output": tmp_path / "mine.html"}, "gamebench report results --output mine.html"),
    ):
        assert json.loads(read(build_page(store, **options)).data)["background"]["command"] == expected


def test_runs_that_failed_or_cannot_be_read_are_told(store, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(store.folder, copy)
    leduc = [run for run in Store(copy).runs() if run.description["game"] == "Leduc"]
    leduc[0].record_path.unlink()
    leduc[0].fail({"message": "It <b>stopped</b>."})
    leduc[1].curve_path.write_bytes(b"damaged")
    leduc[2].record_path.unlink()
    leduc[3].spec_path.write_text("{}")
    payload = payload_of(Store(tmp_path / "other", create=True), Store(copy))
    counts = payload["background"]["counts"]
    assert (counts["failed"], counts["waiting"], counts["damaged"]) == (1, 1, 2)
    [failure] = payload["background"]["failures"]
    assert (failure["message"], failure["run"][-7:]) == ("It <b>stopped</b>.", "in copy")
    assert sum(note.startswith("A run in copy is left out: ") for note in payload["notes"]) == 2
    assert payload["background"]["folders"] == ["other", "copy"]
    assert payload["background"]["shown"] == len(store.runs()) - 4


def test_runs_without_or_with_other_measures(tmp_path):
    """As in the paper's folder, where MMD-KL is run on Kuhn once for its NashConv and once for its CCEGap."""
    sweep = {"games": ["kuhn_poker"], "algorithms": ["MMD-KL", "CFR"], "iterations": 8}
    few = {**sweep, "algorithms": ["MMD-KL", {"algorithm": "MMD-KL", "set": {"step_size": 0.2}}]}
    store = gb.sweep({**few, "measures": []}, tmp_path / "store", executor="serial").store
    payload = payload_of(store)
    assert (payload["lines"], payload["scores"]["rows"], payload["variations"]) == ([], [], [])
    assert len(payload["explorer"]["policies"]) == 2
    gb.sweep({**few, "measures": ["CCEGap", "CCEGap(average)"]}, tmp_path / "store", executor="serial")
    gb.sweep({**sweep, "measures": ["NashConv"]}, tmp_path / "store", executor="serial")
    payload = payload_of(store)
    assert {line["measure"] for line in payload["lines"]} == {"NashConv", "CCEGap", "CCEGap(average)"}
    assert {line["seeds"] for line in payload["lines"]} == {1}
    assert payload["games"][0]["measure"] == "NashConv"
    assert {row["measure"] for row in payload["scores"]["rows"]} == {"NashConv", "CCEGap"}
    # A game counts once, whatever it was measured by.
    methods = [method["name"] for method in payload["methods"]]
    [won] = payload["scores"]["wins"].values()
    assert (sum(won.values()), len(won)) == (1, 2)
    assert [methods[place] for place in payload["aggregates"]["methods"]] == ["MMD-KL", "CFR"]
    assert payload["aggregates"]["games"] == [1, 1]
    assert {profile["games"] for profile in payload["profiles"]} == {1}
    assert any("(CCEGap on kuhn_poker; 2 in all)" in note for note in payload["notes"])


def test_a_game_that_is_gone_or_another_now_costs_its_policies_and_nothing_else(tmp_path):
    file = tmp_path / WICKED.replace("/", "\u2215")
    file.write_text(NORMAL_FORM)
    sweep = {"games": str(file), "algorithms": ["CFR+", "GMD"], "iterations": 4}
    store = gb.sweep(sweep, tmp_path / "store", executor="serial").store
    file.write_text('NFG 1 R "other" { "A" "B" } { 2 2 }\n\n3 1 0 0 0 0 1 2\n')
    assert "This policy is for the game" in payload_of(store)["explorer"]["impossible"][file.name]
    file.unlink()
    payload = payload_of(store)
    assert list(payload["explorer"]["impossible"]) == [file.name]
    assert "cannot be read" in payload["explorer"]["impossible"][file.name]
    assert [game["category"] for game in payload["games"]] == ["general-sum"]
    assert len(payload["lines"]) == 2


def test_policies_stop_where_the_room_does(store, payload, monkeypatch):
    whole = payload
    size = len(json.dumps(whole)) - len(json.dumps(whole["explorer"]))
    limit = size + payload_module.FRAME + 250_000
    monkeypatch.setattr(payload_module, "LIMIT", limit)
    payload = payload_of(store)
    shown, left_out = payload["explorer"]["policies"], payload["explorer"]["leftOut"]
    assert sum(left_out.values()) + len(shown) == len(whole["explorer"]["policies"])
    assert "Leduc" in left_out
    assert len(json.dumps(payload)) < limit - payload_module.FRAME
    of_leduc = [
        payload["methods"][p["method"]]["name"] for p in shown if payload["games"][p["game"]]["name"] == "Leduc"
    ]
    assert of_leduc == ["CMD", "GMD", "CFR+"]  # plain methods, and of CMD the first seed
    assert len(build_page(store).encode()) < limit


def test_coordinators_are_shown_by_team_unless_the_game_is_too_large_for_the_page(tmp_path, monkeypatch):
    sweep = {"games": {"game": "MCCGoofspiel", "coordinated": True}, "algorithms": ["CFR", "CFR+"], "iterations": 4}
    store = gb.sweep(sweep, tmp_path, executor="serial").store
    payload, game = payload_of(store), gb.load_game("MCCGoofspiel", coordinated=True)
    [about], [_, policy] = payload["games"], payload["explorer"]["policies"]
    assert (about["name"], about["category"], about["players"]) == ("MCCGoofspiel [coordinated]", "zero-sum", 2)
    text = payload["explorer"]["games"][policy["of"]]
    assert (text["coordinated"], text["hasTeams"], text["teams"]) == (True, False, [[0, 1], [2]])
    assert text["states"] == list(game.labels.information_states)
    numbers, is_first = unpacked(policy["numbers"]), game.sequence_form.parent_sequences >= game.num_sequences
    gains = numbers[-game.num_decision_points :][game.sequence_form.children_of_parents()[is_first]]
    [last] = gb.load_results(tmp_path).query("method == 'CFR+'")["NashConv"].tail(1)
    assert gains.sum() == pytest.approx(last, abs=1e-12)

    asked = []
    monkeypatch.setattr(policies_module, "_text_of", lambda game: asked.append(game) or {"text": "x" * 10**6})
    frame = len(json.dumps(payload)) - len(json.dumps(payload["explorer"])) + payload_module.FRAME
    for room in (100_000, 1_000):  # there may be room for the text, which both runs share, or even numbers have none
        monkeypatch.setattr(payload_module, "LIMIT", frame + room)
        assert payload_of(store)["explorer"]["leftOut"] == {"MCCGoofspiel [coordinated]": 2}
        assert len(asked) == 1
