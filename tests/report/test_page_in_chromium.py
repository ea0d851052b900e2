"""The page in a browser: it draws what is stored, and its controls work."""

import math
from itertools import pairwise

import pytest

import gamebench as gb
from gamebench.core.choices import TimeAxis
from gamebench.experiments.store import Store
from gamebench.report.leaderboard import leaderboard
from gamebench.report.page.payload import Folder
from gamebench.report.standings import records
from tests.patience import wait_until
from tests.report.browsing import NUMBERS, card, drawn, opened, press, press_escape, written
from tests.report.stores import CLAIMS, stored_mean

pytestmark = pytest.mark.xdist_group("browser")  # one browser and one window for all


@pytest.fixture(scope="module")
def frame(made):
    return gb.load_results(made[0].folder)


@pytest.fixture(scope="module")
def address(made):
    return written(made[0].folder.parent, made[0], title="A <i>title</i></script>", claims=CLAIMS)


@pytest.fixture
def page(window, address):
    return opened(window, address)


def keys_in(page, selector):
    return set(page.locator(selector).evaluate_all("all => all.map(one => one.dataset.key)"))


def test_it_opens_and_whatever_was_said_stays_text(page, made):
    assert float(page.evaluate("document.documentElement.dataset.ready")) > 0  # set when all is drawn
    assert page.locator(".card").count() == 4
    assert page.get_by_role("heading", level=1).inner_text() == "A <i>title</i></script>"
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map(one => Number(one.tagName[1]))")
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert made[1] in page.locator(".card h4").all_inner_texts()
    assert page.locator("script").count() == 2
    assert "CFR+ <b>wins</b> in Kuhn" in page.locator(".claim").first.inner_text()
    assert page.locator(".claim").count() == 2
    press(page, "verdict", "fails 1")
    assert page.locator(".claim").count() == 1
    page.locator(".claim summary").click()
    assert "0.3" in page.locator(".claim").inner_text()
    # The reader chooses the colours, and the system does until then.
    shades = {}
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        for theme in ("auto", "light", "dark"):
            press(page, "Colours", theme)
            shades[scheme, theme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light, dark = shades["light", "auto"], shades["dark", "auto"]
    assert light != dark
    assert [shades[scheme, theme] for scheme in ("dark", "light") for theme in ("light", "dark")] == [light, dark] * 2
    press(page, "Colours", "auto")


def test_a_method_switched_off_leaves_every_chart_and_table(page):
    chips = page.locator(".legend-bar .chip")
    names = chips.all_inner_texts()
    place = str(names.index("CFR+"))
    assert place in keys_in(page, ".card .series") & keys_in(page, "#profile-chart .series") & keys_in(page, ".mean")
    chips.nth(int(place)).click()
    assert chips.nth(int(place)).get_attribute("aria-pressed") == "false"
    for selector in (".card .series", "#profile-chart .series", "#performance-chart .series", ".mean"):
        assert keys_in(page, selector) == {str(other) for other in range(len(names))} - {place}
    assert "CFR+" not in page.locator("#scores").inner_text().split()
    page.locator("[data-all=none]").click()
    assert page.locator(".series").count() == page.locator("#alpha-chart .series").count()
    assert "no method is selected" in card(page, "Leduc").inner_text()
    page.locator("[data-all=all]").click()
    assert len(keys_in(page, ".card .series")) == len(names)


def test_axes_and_measures_change_what_is_drawn(page, frame):
    axis = page.get_by_role("group", name="x axis").locator("[aria-pressed=true]")
    assert axis.inner_text() == "joint policies"  # because CMD evaluates several in an iteration
    press(page, "x axis", "iterations")
    before = drawn(page, "Leduc")
    press(page, "x axis", "seconds")
    after = drawn(page, "Leduc")
    assert len(after) == len(before) == 4
    assert not set(after) & set(before)
    press(page, "x axis", "iterations")
    assert drawn(page, "Leduc") == before
    press(page, "y scale", "linear")
    assert not set(drawn(page, "Leduc")) & set(before)
    page.locator("#measure").select_option("SocialWelfare")
    assert "SocialWelfare" in card(page, "Leduc").inner_text()
    card(page, "kuhn_poker").locator(".plot").focus()
    page.keyboard.press("End")
    shown = card(page, "kuhn_poker").locator(".tip li[data-key='0']").get_attribute("data-value")
    assert float(shown) == stored_mean(frame, "kuhn_poker", "CMD", "SocialWelfare")[0][-1]


def test_pointing_shows_the_values_that_are_stored(page, frame):
    press(page, "x axis", "iterations")
    plot = card(page, "Leduc").locator(".plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 11, box["y"] + box["height"] / 2)
    tip = card(page, "Leduc").locator(".tip")
    assert tip.is_visible()
    assert "iterations 20" in tip.inner_text()
    shown = tip.locator("li").evaluate_all("all => all.map(one => [one.innerText, Number(one.dataset.value)])")
    assert len(shown) == 4
    names = page.locator(".legend-bar .chip").all_inner_texts()
    for text, value in shown:
        method = max((name for name in names if text.strip().startswith(name)), key=len)
        assert value == stored_mean(frame, "Leduc", method, "NashConv")[0][-1]
    page.mouse.move(2, 2)
    assert not tip.is_visible()


def test_the_keyboard_reads_a_chart_and_opens_it(page):
    press(page, "x axis", "iterations")
    plot = card(page, "Leduc").locator(".plot")
    plot.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    spoken = page.locator("#live").inner_text()
    assert spoken.startswith("iterations 1: ")
    assert "CFR+" in spoken
    page.keyboard.press("ArrowLeft")
    assert page.locator("#live").inner_text().startswith("iterations 0: ")
    page.keyboard.press("Enter")
    dialog = page.locator("dialog")
    assert dialog.is_visible()
    assert dialog.get_by_role("heading", level=2).inner_text() == "Leduc"
    assert dialog.locator(".series").count() == 4
    press_escape(page)
    assert not dialog.is_visible()
    assert plot.evaluate("one => one === document.activeElement")
    plot.click()
    assert dialog.is_visible()
    dialog.get_by_role("button", name="Close").click()
    assert not dialog.is_visible()


def test_the_score_table_sorts_and_filters(page):
    table = page.locator("table.scores")
    header = table.locator("th", has=page.get_by_role("button", name="final value"))
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    values = table.locator(".final [data-value]").evaluate_all(NUMBERS)
    assert values == sorted(values)
    assert len(values) == 16
    header.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    assert table.locator(".final [data-value]").evaluate_all(NUMBERS) == values[::-1]
    page.locator("#score-category").select_option("mixed")
    assert set(table.locator("tbody th").all_inner_texts()) == {"MCCKuhn-A"}
    assert table.locator("tr.best").count() >= 1


def test_the_leaderboard_is_the_best_first_and_follows_the_unit_of_time(page, made):
    rows, head = page.locator("table.standings tbody tr"), page.locator("table.standings thead")
    for axis in TimeAxis:
        press(page, "time counted in", axis.unit)
        board = leaderboard(Folder.read(made[0]).results.contests, axis.column)
        assert rows.locator("th").all_inner_texts() == [standing.method for standing in board.standings]
        assert f"median {axis.unit} to" in head.inner_text()
        columns = sorted(board.columns[1:], key=lambda column: "share median".find(column.group.split(" ")[0] or "-"))
        for row, numbers in zip(rows.all(), records(columns, board.standings), strict=True):
            shown = row.locator("[data-value]").evaluate_all(NUMBERS)
            assert shown == [number for number in numbers.values() if math.isfinite(number)]
            assert row.inner_text().count("\u2013") == sum(map(math.isinf, numbers.values()))
    assert page.locator("#leaderboard").bounding_box()["y"] < page.locator("#scores").bounding_box()["y"]
    table = page.locator("table.standings")
    names = table.locator("tbody th").all_inner_texts()
    page.locator(".legend-bar .chip", has_text="CFR+").click()
    assert set(table.locator("tbody th").all_inner_texts()) == set(names)
    assert table.locator("tbody tr.off th").all_inner_texts() == ["CFR+"]
    page.get_by_text("How to read the leaderboard").click()
    for section in ("leaderboard", "scores"):  # each has its own rule for ties, and names both
        about = page.locator(f"#{section}").inner_text()
        assert "within a factor of 2" in about
        assert "within 10\u207b\u2077" in about


def test_what_was_not_measured_or_does_not_count_is_told(window, tmp_path):
    store = Store(tmp_path / "store", create=True)
    page = opened(window, written(tmp_path, store))
    assert "no finished runs" in page.locator("#summary").inner_text()
    for games, algorithms, measures in (
        (["Kuhn", "kuhn_poker"], ["CFR", "CFR+"], None),
        ("Kuhn", "GMD", None),
        ("Kuhn-A", "CFR", ["OptGap"]),
        ("TinyHanabi-A", "CFR", ["SocialWelfare"]),
        ({"game": "MCCGoofspiel", "coordinated": True}, "CFR+", None),
    ):
        sweep = {"games": games, "algorithms": algorithms, "iterations": 4}
        gb.sweep(sweep if measures is None else {**sweep, "measures": measures}, store.folder, executor="serial")
    page = opened(window, written(tmp_path, store))
    board = page.locator("#leaderboard")
    assert "do not count: TinyHanabi-A (higher SocialWelfare is better)" in board.inner_text()
    assert "1 of 4" in board.locator("tbody tr", has_text="GMD").inner_text()
    assert "of 4" not in board.locator("tbody tr", has_text="CFR+").inner_text().replace("3 of 4", "")
    page.locator("#measure").select_option("OptGap")
    assert "OptGap: not measured" in card(page, "kuhn_poker").inner_text()
    assert "not measured" not in card(page, "Kuhn-A").inner_text()
    page.locator("#policy-game").select_option(label="MCCGoofspiel [coordinated]")
    about = page.locator("#policy-about").inner_text()
    assert about.startswith("71 decision points. Coordinators tell members")
    assert "(0 and 1 against 2)" in about
    assert set(page.locator("#points .player").all_inner_texts()) <= {"team 0", "team 1"}


def test_the_explorer_shows_the_stored_policy(page, made):
    store, game = made[0], gb.load_game("Leduc")
    assert page.locator("#policy-game option").count() == 4
    page.locator("#policy-game").select_option(label="Leduc")
    page.locator("#policy-method").select_option(label="CMD")
    page.locator("#policy-seed").select_option("1")
    [run] = [
        run
        for run in store.runs()
        if (run.description["game"], run.description["spec"]["algorithm"], run.description["spec"]["seed"])
        == ("Leduc", "CMD", 1)
    ]
    policy = run.policy(game)
    gains = page.locator("#points .gain").evaluate_all(NUMBERS)
    assert gains == sorted(gains, reverse=True)
    point = game.decision_points[700]
    page.locator("#policy-search").fill(point.information_state)
    item = page.locator(f"[data-point='{point.index}']")
    assert item.locator(".state").inner_text() == point.information_state
    assert item.locator(".action-name").all_inner_texts() == list(point.actions)
    exact = item.locator("[data-probability]").evaluate_all("all => all.map(one => Number(one.dataset.probability))")
    assert exact == policy.probabilities[point.sequences].tolist()
    page.locator("#policy-search").fill("")
    page.get_by_role("button", name="Next").click()
    assert "page 2 of 47" in page.locator(".pager").inner_text()
    page.locator("#policy-game").select_option(label="MCCKuhn-A")
    assert "whose teammates keep their policies" in page.locator("#policy-about").inner_text()


def test_alpha_shows_the_weights_of_a_run(page, frame):
    page.locator("#alpha-game").select_option(label="Leduc")
    page.locator("#alpha-seed").select_option("1")
    assert keys_in(page, "#alpha-chart .series") == {"magnet", "1", "2", "3"}
    page.locator("#alpha-chart .plot").focus()
    page.keyboard.press("End")
    part = frame[(frame["game"] == "Leduc") & (frame["algorithm"] == "CMD") & (frame["seed"] == 1)]
    shown = page.locator("#alpha-chart .tip li[data-key=magnet]").get_attribute("data-value")
    assert float(shown) == part["alpha_magnet"].iloc[-1]


def test_nothing_is_wider_than_the_window(window, address):
    for width in (375, 900):
        opened(window, address, width)
        card(window, "Leduc").locator(".series").first.wait_for(state="attached")  # before that, nothing could be
        wait_until(lambda: window.evaluate("innerWidth === document.documentElement.scrollWidth"))
        card(window, "Leduc").locator(".plot").click()
        assert window.locator("dialog").bounding_box()["width"] <= width
        press_escape(window)


def test_time_to_epsilon_opens_where_half_of_the_methods_have_solved_a_game(page):
    chosen = page.get_by_role("group", name="epsilon", exact=True).locator("[aria-pressed=true]")
    solved = page.locator("#profiles .legend small").all_inner_texts()
    assert sum(not text.startswith("0") for text in solved) >= len(solved) / 2
    assert chosen.get_attribute("data-value") == "0.1"  # after 20 iterations the chart of 1e-4 is nearly empty
    press(page, "epsilon", "10\u207b\u00b2")
    solved = page.locator("#profiles .legend small").all_inner_texts()
    assert sum(not text.startswith("0") for text in solved) < len(solved) / 2


def test_the_score_table_shows_where_seeds_agree(window, tmp_path):
    sweep = {"games": "kuhn_poker", "algorithms": ["CRD", "CMD", "CFR+"], "iterations": 32, "seeds": 2}
    page = opened(window, written(tmp_path, gb.sweep(sweep, tmp_path / "store", executor="serial").store))
    shown = {}
    for row in page.locator("table.scores tbody tr").all():
        cells = row.locator("th, td").all_inner_texts()
        shown[cells[1]] = cells[3]
    assert (shown["CRD"], shown["CFR+"]) == ("=", "\u2013")
    assert float(shown["CMD"]) > 0
    card(page, "kuhn_poker").locator(".plot").focus()
    page.keyboard.press("End")
    [agreeing] = [text for text in card(page, "kuhn_poker").locator(".tip li").all_inner_texts() if "CRD" in text]
    assert "seeds agree" in agreeing
