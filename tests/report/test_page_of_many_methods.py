"""Pages with many methods, long names and several folders: no contradictions, and nothing is cut off."""

import pytest

import gamebench as gb
from gamebench.report.leaderboard import leaderboard
from gamebench.report.page.payload import Folder
from tests.patience import wait_until
from tests.report.browsing import opened, press_escape, written

pytestmark = pytest.mark.xdist_group("browser")
GRID = {"step_size": [0.1, 0.3, 1], "magnet_rate": [0.02, 0.05, 0.2], "regularisation": [0.1, 1, 2]}
METHODS, IN_COLOUR = 28, 8
LONG = "goofspiel(num_cards=3,imp_info=True,players=2,points_order=descending)"
SMALL_GRID = {"step_size": [0.1, 0.3, 1, 3], "magnet_rate": [0.02, 0.05]}
EDGES = """all => all.map(one => {
  const box = one.getBoundingClientRect();
  return [box.top, box.bottom, box.left, box.right];
})"""


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A grid whose winner on the leaderboard, where more values tie, is not among the best by exact values."""
    sweep = {"games": ["TinyHanabi-A", "kuhn_poker"], "iterations": 16}
    sweep["algorithms"] = ["CFR+", {"algorithm": "MMD-KL", "set": GRID}]
    folder = tmp_path_factory.mktemp("many")
    store = gb.sweep(sweep, folder / "results", executor="serial").store
    return store, written(folder, store)


@pytest.fixture(scope="module")
def two_folders(tmp_path_factory):
    """A grid on two games, one with a long name, and its algorithm with default settings on two other games."""
    folder = tmp_path_factory.mktemp("two")
    grid = {"games": [LONG, "kuhn_poker"], "algorithms": ["CFR+", {"algorithm": "MMD-KL", "set": SMALL_GRID}]}
    plain = {"games": ["Kuhn", "TinyHanabi-A"], "algorithms": ["CFR+", "CFR", "MMD-KL"]}
    stores = [
        gb.sweep({**sweep, "iterations": 8}, folder / name, executor="serial").store
        for name, sweep in (("grid", grid), ("plain", plain))
    ]
    return written(folder, *stores)


def is_inside(box, outer):
    """Whether a box is inside another one, up to half a pixel."""
    right, outer_right = (each["x"] + each["width"] for each in (box, outer))
    bottom, outer_bottom = (each["y"] + each["height"] for each in (box, outer))
    starts = box["x"] >= outer["x"] - 0.5 and box["y"] >= outer["y"] - 0.5
    return starts and right <= outer_right + 0.5 and bottom <= outer_bottom + 0.5


def test_words_and_tables_agree_on_who_comes_first_and_which_methods_they_cover(window, many):
    store, address = many
    page = opened(window, f"{address}#leaderboard")
    heading, bar = page.locator("#leaderboard h2"), page.locator(".legend-bar")
    wait_until(lambda: heading.bounding_box()["y"] < 900)
    assert heading.bounding_box()["y"] >= bar.bounding_box()["y"] + bar.bounding_box()["height"]
    board = leaderboard(Folder.read(store).results.contests)
    first = {standing.method for standing in board.standings if standing.rank == board.standings[0].rank}
    in_colour = page.locator(".legend-bar .chip[data-method]").all_inner_texts()
    assert len(in_colour) == IN_COLOUR
    assert not first & set(in_colour)  # else nothing is tested here
    answer = page.locator("#best .answer")
    named = answer.locator("strong").all_inner_texts()[1]
    assert f"{named} and {len(first) - 1} other come first, each with a mean rank of 2." in answer.inner_text()
    rows = page.locator("table.standings tbody tr")
    assert rows.locator("th").all_inner_texts() == [standing.method for standing in board.standings]
    assert named in rows.locator("th").all_inner_texts()[: len(first)]
    grey = page.locator("table.standings tbody tr.off th").all_inner_texts()
    assert len(grey) == METHODS - IN_COLOUR
    assert not set(grey) & set(in_colour)
    about = page.locator("#leaderboard .chosen")
    assert about.inner_text() == f"{METHODS} methods; {METHODS - IN_COLOUR} not in colour above are grey here"
    others = f"without {METHODS - IN_COLOUR} methods not in colour"
    assert page.locator("#scores .chosen").all_inner_texts() == [f"{2 * 8} rows, {others}", f"8 methods, {others}"]
    page.locator("[data-all=all]").click()
    assert about.inner_text() == f"{METHODS} methods"
    assert page.locator("#scores .chosen").all_inner_texts() == [f"{2 * METHODS} rows", f"{METHODS} methods"]
    page.locator("[data-all=none]").click()
    assert rows.count() == METHODS


def test_all_of_the_legend_is_in_sight_or_shows_that_it_goes_on(window, many):
    for width in (390, 1400):
        page, screen = opened(window, many[1], width), {"x": 0, "y": 0, "width": width, "height": 900}
        bar = page.locator(".legend-bar")
        bar.scroll_into_view_if_needed()
        ends = [page.locator("[data-rest]"), *page.locator(".legend-buttons button").all()]
        assert [end.inner_text() for end in ends] == ["20 others", "best 8", "default settings", "all", "none"]
        outer = bar.bounding_box()
        assert all(is_inside(end.bounding_box(), outer) and is_inside(outer, screen) for end in ends)
        if width == 1400:
            assert all(is_inside(chip.bounding_box(), outer) for chip in bar.locator("[data-method]").all())
            page.locator("[data-all=all]").click()
            outer = bar.bounding_box()
            assert all(is_inside(end.bounding_box(), outer) for end in ends)  # while the methods scroll
            assert bar.evaluate("one => one.scrollHeight > one.clientHeight")
        edges = bar.locator("[data-method]").evaluate_all(EDGES)
        bottom, right = outer["y"] + outer["height"], outer["x"] + outer["width"]
        cut = [box for box in edges if box[0] < bottom - 4 < box[1] - 4 or box[2] < right - 20 < box[3] - 20]
        assert cut  # a method that is half in sight shows that there are more


def test_long_names_of_games_leave_room_for_the_rest(window, two_folders):
    for width in (1400, 390):
        page = opened(window, two_folders, width)
        for card in page.locator(".card", has=page.locator("h4", has_text=LONG)).all():
            outer = card.bounding_box()
            for part in card.locator("h4, .measure, figcaption button:visible, .menu summary").all():
                assert is_inside(part.bounding_box(), outer)
            assert card.locator(".measure").evaluate("one => one.scrollWidth <= one.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") == width
    for table in ("best-table", "scores"):  # a phone shows method and value beside the name
        box = page.locator(".scroll", has=page.locator(f".{table}")).bounding_box()
        row = page.locator(f".{table} tbody tr", has=page.locator("th", has_text=LONG)).first
        edges = [cell.bounding_box() for cell in row.locator("td").all()[:2]]
        assert all(cell["x"] + cell["width"] <= box["x"] + box["width"] + 0.5 for cell in edges), table
    box = page.locator(".scroll", has=page.locator(".standings")).bounding_box()
    rank = page.locator(".standings tbody td:nth-child(3)").first.bounding_box()
    assert rank["x"] + rank["width"] <= box["x"] + box["width"] + 0.5
    page.locator("#summary .card .plot").nth(2).click()
    assert page.locator("dialog").evaluate("one => one.scrollWidth <= one.clientWidth")
    press_escape(page)


def test_sentences_say_among_how_many_and_why_something_is_missing(window, two_folders):
    page = opened(window, two_folders)
    text = page.locator("#best .answer").inner_text()
    assert "over 4 games: 1, with 3 to 9 methods in each. (10 methods ran on fewer games.)" in text
    assert text.startswith("CFR+ has the lowest mean rank")
    board = page.locator("#leaderboard")
    assert "median iterations to" in board.locator("thead").inner_text()
    assert "a dash stands for a method that left at least half of them unsolved" in board.inner_text()
    dash = board.locator("tbody td:last-child span").first
    assert (dash.inner_text(), dash.get_attribute("title")) == ("\u2013", "at least half of its games unsolved")
    drawn = page.locator("#best .comparison h4").all_inner_texts()
    assert drawn == [f"MMD-KL on {LONG}", "MMD-KL on kuhn_poker"]
    note = page.locator("#best .note")
    assert note.inner_text() == (
        "Not drawn, because only one configuration of MMD-KL was run there: TinyHanabi-A, Kuhn."
    )
    page.locator("summary", has_text="Games").click()
    for game in ("Kuhn", "TinyHanabi-A"):
        page.locator("[data-game-chip]").get_by_text(game, exact=True).click()
    assert not note.is_visible()


def test_a_sentence_stands_where_no_game_was_solved(window, two_folders):
    page = opened(window, two_folders)
    section, chart = page.locator("#profiles"), page.locator("#profile-chart")
    epsilons = page.get_by_role("group", name="epsilon", exact=True)
    epsilons.get_by_role("button", name="10⁻⁸", exact=True).click()
    assert "None of the methods in colour solved a game to 10⁻⁸. The smallest epsilon" in section.inner_text()
    assert not chart.is_visible()
    assert not section.locator(".legend").is_visible()
    epsilons.get_by_role("button", name="10⁻¹", exact=True).click()
    assert chart.is_visible()
    assert "None of the methods" not in section.inner_text()
    for chip in page.locator(".legend-bar .chip[data-method]", has_text="CFR").all():
        chip.click()
    assert "solved a game to 10⁻¹, nor to any other epsilon offered here." in section.inner_text()
    page.locator("[data-all=none]").click()
    assert "no method is selected" in chart.inner_text()
