"""The page of a sweep over a grid in a browser: it shows the best configurations, and links keep every view."""

import csv
import xml.etree.ElementTree as ElementTree
from statistics import median_low

import pytest

import gamebench as gb
from tests.report.browsing import (
    NUMBERS,
    WAYS,
    card,
    drawn,
    go_back,
    in_colour,
    opened,
    press,
    press_escape,
    saved,
    written,
)

pytestmark = pytest.mark.xdist_group("browser")
GRID = {
    "games": ["Kuhn-A", "Goofspiel-S"],
    "algorithms": [
        "CFR+",
        {"algorithm": "MMD-KL", "set": {"step_size": [0.1, 1, 4], "magnet_rate": [0.05, 0.2]}},
        {"algorithm": "CMD", "set": {"history": [1, 2], "radius": [0.01, 0.1], "interval": [1, 2]}},
    ],
    "iterations": 8,
    "seeds": 2,
}
GAMES, METHODS = 2, 15


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return gb.sweep(GRID, tmp_path_factory.mktemp("grid") / "results", executor="serial").store


@pytest.fixture(scope="module")
def ends(store):
    """The final values over seeds by game and method, computed independently of the page."""
    frame = gb.load_results(store.folder)
    last = frame.sort_values("iteration").groupby("run").tail(1)
    return {key: sorted(part["OptGap"]) for key, part in last.groupby(["game", "method"])}


@pytest.fixture(scope="module")
def address(store):
    return written(store.folder.parent, store)


@pytest.fixture
def page(window, address):
    return opened(window, address)


def mean(values):
    return sum(values) / len(values)


def test_a_section_behind_the_charts_has_the_best_configuration_of_each_game(page, ends):
    sections = page.locator("main section").evaluate_all("all => all.map(one => one.id)")
    assert sections[1:3] == ["summary", "best"]
    first = page.locator("#summary .card svg").first.bounding_box()
    assert first["y"] + first["height"] < 900  # a whole chart is on the first screen
    rows = page.locator("table.best-table tbody tr")
    assert rows.count() == GAMES
    for row in rows.all():
        game = row.locator("th").inner_text()
        best = min((mean(values), method) for (name, method), values in ends.items() if name == game)
        assert float(row.locator(".final [data-value]").get_attribute("data-value")) == pytest.approx(
            best[0], abs=1e-15
        )
        winner = {method for (name, method), values in ends.items() if name == game and mean(values) <= best[0] + 1e-7}
        algorithms = {method.split(" ")[0] for method in winner}
        assert row.locator(".method span").first.inner_text() in algorithms
    press(page, "the best", "of each algorithm")
    assert rows.count() == 3 * GAMES
    text = saved(page, page.get_by_role("button", name="save best configurations as CSV"))
    [first, *table] = csv.reader(text.splitlines())
    assert "hyper-parameters step_size" in first
    assert len(table) == 3 * GAMES
    for line in table:
        row = dict(zip(first, line, strict=True))
        values = ends[row["game"], row["method"]]
        assert float(row["value"]) == pytest.approx(mean(values), abs=1e-15)
        if len(values) > 1:
            assert [float(row["over seeds least"]), float(row["over seeds greatest"])] == [values[0], values[-1]]
    # A hyper-parameter stands only where the algorithm varied it.
    varied = {spec["algorithm"]: set(spec["set"]) for spec in GRID["algorithms"] if isinstance(spec, dict)}
    for line in table:
        row = {name.removeprefix("hyper-parameters "): value for name, value in zip(first, line, strict=True)}
        shown = {name for names in varied.values() for name in names if row[name] != "\u2013"}
        assert shown == varied.get(row["method"].split(" ")[0], set())


def test_the_best_eight_are_in_colour_and_the_rest_is_one_grey_entry(page, ends):
    assert len(in_colour(page)) == 8
    colours = page.locator(".legend-bar .chip[aria-pressed=true][data-method] .swatch")
    assert len(set(colours.evaluate_all("all => all.map(one => one.style.getPropertyValue('--c'))"))) == 8
    for game in GRID["games"]:  # the best method of each game is among them
        assert min((mean(values), method) for (name, method), values in ends.items() if name == game)[1] in {
            *in_colour(page)
        }
    rest = page.locator("[data-rest]")
    assert rest.inner_text() == f"{METHODS - 8} others"
    grey = card(page, "Kuhn-A").locator(".lines .rest")
    assert grey.get_attribute("d").count("M") == METHODS - 8
    rest.click()
    assert grey.count() == 0
    rest.click()
    page.get_by_text("MMD-KL", exact=False).locator("visible=true").first.wait_for()
    page.locator("summary", has_text="MMD-KL").click()
    off = page.locator(".group .chip[aria-pressed=false]:visible").first
    name = off.inner_text()
    off.click()
    assert name in in_colour(page)
    assert card(page, "Kuhn-A").locator(".series").count() == 9
    page.locator("[data-all=best]").click()
    assert name not in in_colour(page)


def heat_values(page, game):
    items = page.locator(f".comparison[data-game='{game}'] .item")
    return sorted(items.evaluate_all(NUMBERS))


def test_two_hyper_parameters_make_a_heat_map(page, ends):
    page.locator("#algorithm").select_option("MMD-KL")
    names = page.locator("#best .comparison h4").all_inner_texts()
    assert names == ["MMD-KL on Kuhn-A", "MMD-KL on Goofspiel-S"]
    finals = sorted(mean(values) for (game, method), values in ends.items() if game == "Kuhn-A" and "MMD" in method)
    assert heat_values(page, 0) == pytest.approx(finals, abs=1e-15)
    assert page.locator("#tuning-across").input_value() == "step_size"
    page.locator("#tuning-across").select_option("magnet_rate")
    assert page.locator("#tuning-down").input_value() == "step_size"  # the two are swapped
    assert heat_values(page, 0) == pytest.approx(finals, abs=1e-15)
    plot = page.locator(".comparison .plot").first
    plot.focus()
    page.keyboard.press("ArrowRight")
    spoken = page.locator("#live").inner_text()
    assert spoken.startswith("MMD-KL step_size=")
    assert "OptGap" in spoken


def test_more_hyper_parameters_make_parallel_coordinates(page, ends):
    page.locator("#algorithm").select_option("CMD")
    finals = {method: values for (game, method), values in ends.items() if game == "Kuhn-A" and "CMD" in method}
    lines = page.locator(".comparison[data-game='0'] .item")
    assert lines.count() == len(finals) == 8
    plot = page.locator(".comparison .plot").first
    plot.focus()
    page.keyboard.press("ArrowDown")
    best = min(finals, key=lambda method: mean(finals[method]))
    assert page.locator("#live").inner_text().startswith(f"{best}, OptGap")
    press(page, "show as", "heat map")
    cells = {}
    for method, values in finals.items():
        settings = dict(part.split("=") for part in method.split(" ")[1:])
        cells.setdefault((settings["history"], settings["radius"]), []).append(mean(values))
    page.locator("#tuning-across").select_option("history")
    page.locator("#tuning-down").select_option("radius")
    assert heat_values(page, 0) == pytest.approx(sorted(map(min, cells.values())), abs=1e-15)
    press(page, "of the rest, show the", "median")
    assert heat_values(page, 0) == pytest.approx(sorted(map(median_low, cells.values())), abs=1e-15)


def test_a_game_that_is_filtered_out_leaves_charts_and_scores(page):
    page.locator("summary", has_text="Games").click()
    page.locator("[data-game-chip]", has_text="Kuhn-A").click()
    assert not card(page, "Kuhn-A").is_visible()
    assert card(page, "Goofspiel-S").is_visible()
    assert set(page.locator("table.scores tbody th").all_inner_texts()) == {"Goofspiel-S"}
    assert page.locator("table.best-table tbody tr").count() == 1
    assert page.locator("#best .comparison").count() == 1
    assert "game=Goofspiel-S" in page.url
    page.get_by_role("button", name="none").first.click()
    assert "No game is selected" in page.locator("#summary").inner_text()


def test_dragging_zooms_and_back_shows_everything(page):
    plot = card(page, "Kuhn-A").locator(".plot")
    plot.scroll_into_view_if_needed()
    before = drawn(page, "Kuhn-A")
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 90)
    assert plot.locator(".selection").count() == 1
    page.mouse.up()
    assert not page.locator("dialog").is_visible()
    zoomed = drawn(page, "Kuhn-A")
    assert not set(zoomed) & set(before)
    assert plot.locator("svg.lines").count() == 1  # which cuts lines off at the edges
    kept = page.url
    assert "zoom=" in kept
    page.goto("about:blank")
    page.goto(kept)
    assert drawn(page, "Kuhn-A") == zoomed
    card(page, "Kuhn-A").get_by_role("button", name="show all").click()
    assert drawn(page, "Kuhn-A") == before
    go_back(page)
    assert drawn(page, "Kuhn-A") == zoomed
    plot.focus()
    page.keyboard.press("0")
    assert drawn(page, "Kuhn-A") == before
    page.keyboard.press("End")
    page.keyboard.press("+")
    assert "joint policies evaluated from" in page.locator("#live").inner_text()
    assert drawn(page, "Kuhn-A") != before
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert drawn(page, "Kuhn-A") == before
    press(page, "x axis", "iterations")
    press(page, "x scale", "linear")
    [one, *_] = drawn(page, "Kuhn-A")
    places = [float(point.split(" ")[0]) for point in one.removeprefix("M").split("L")]  # at 0, 1, 2, 4, 8
    steps = [(after - places[0]) / (places[-1] - places[0]) for after in places]
    assert steps == pytest.approx([0, 1 / 8, 2 / 8, 4 / 8, 1], abs=1e-3)
    go_back(page)
    assert page.get_by_role("group", name="x scale").locator("[aria-pressed=true]").inner_text() == "logarithmic"
    # The same in a large chart, which Escape closes and Back opens again.
    plot.click()
    dialog = page.locator("dialog")
    assert "large=Kuhn-A" in page.url
    before = dialog.locator(".series .line").evaluate_all(WAYS)
    dialog.get_by_role("button", name="zoom in").click()
    assert dialog.locator(".series .line").evaluate_all(WAYS) != before
    dialog.locator(".plot").dblclick()
    assert dialog.locator(".series .line").evaluate_all(WAYS) == before
    press_escape(page)
    assert not dialog.is_visible()
    go_back(page)
    assert dialog.is_visible()
    press_escape(page)


def test_the_address_keeps_the_view(page, address):
    press(page, "x axis", "seconds")
    page.locator("#measure").select_option("OptGap")
    page.locator(".legend-bar .chip[data-method]").first.click()
    page.locator("#algorithm").select_option("MMD-KL")
    page.locator("nav a", has_text="Scores").click()
    shown, kept, lines = in_colour(page), page.url, drawn(page, "Kuhn-A")
    assert len(shown) == 7
    page.goto("about:blank")
    page.goto(kept)
    assert (in_colour(page), drawn(page, "Kuhn-A")) == (shown, lines)
    assert page.locator("#measure").input_value() == "OptGap"
    assert page.locator("#algorithm").input_value() == "MMD-KL"
    assert page.evaluate("document.activeElement.id") == "scores"
    page.goto("about:blank")
    page.goto(f"{address}#method=CFR%2B&method=Nobody&x=nonsense&zoom=nonsense")
    assert in_colour(page) == ["CFR+"]
    assert "Not on this page, but in its address: Nobody." in page.locator("main").inner_text()


def test_charts_are_saved_with_all_digits_and_as_drawings(page, ends):
    card(page, "Kuhn-A").locator(".menu summary").click()
    text = saved(page, card(page, "Kuhn-A").get_by_role("button", name="save Kuhn-A as CSV"))
    rows = list(csv.DictReader(text.splitlines()))
    assert list(rows[0]) == ["line", "joint policies evaluated", "OptGap", "least", "greatest"]
    last = {row["line"]: row for row in rows}
    assert len(last) == METHODS
    for method, row in last.items():
        values = ends["Kuhn-A", method]
        assert float(row["OptGap"]) == pytest.approx(mean(values), abs=1e-15)
        assert (float(row["least"]), float(row["greatest"])) == (values[0], values[-1])
    for button in (
        card(page, "Kuhn-A").get_by_role("button", name="save Kuhn-A as SVG"),
        page.get_by_role("button", name="save CMD on Kuhn-A as SVG"),
    ):
        if not button.is_visible():
            page.locator("#algorithm").select_option("CMD")
            card(page, "Kuhn-A").locator(".menu summary").click()
        text = saved(page, button)
        drawing = ElementTree.fromstring(text)
        paths = drawing.findall(".//{http://www.w3.org/2000/svg}path")
        assert len(paths) >= 8
        assert all(path.get("stroke") or path.get("fill") for path in paths)
        assert "var(" not in text
        assert "class=" not in text
        texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
        assert "OptGap" in "".join(filter(None, texts))


def test_scores_have_the_spread_over_seeds_and_methods_their_hyper_parameters(page, ends):
    page.locator("[data-all=all]").click()
    text = saved(page, page.get_by_role("button", name="save scores as CSV"))
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == GAMES * METHODS
    for row in rows:
        values = ends[row["game"], row["method"]]
        assert (float(row["over seeds least"]), float(row["over seeds greatest"])) == (values[0], values[-1])
        assert int(row["seeds"]) == len(values)
    cells = page.locator("table.scores tbody tr", has_text="CMD").first.locator("td").all_inner_texts()
    assert sum("\u2013" in cell for cell in cells[2:4]) == 0
    rows = page.locator("table.methods-table tbody tr")
    assert rows.count() == METHODS
    row = rows.filter(has_text="MMD-KL step_size=4.0 magnet_rate=0.2")
    assert set(row.locator(".asked").all_inner_texts()) == {"step_size = 4.0", "magnet_rate = 0.2"}
    assert "regularisation = 1.0" in row.inner_text()
    chip = page.locator(".legend-bar .chip", has_text="MMD-KL step_size=4.0 magnet_rate=0.2")
    assert "magnet_rate = 0.2\nstep_size = 4.0" in chip.get_attribute("title")


def test_games_won_means_and_improvement_are_saved(page):
    names = set(in_colour(page))
    tables = {}
    for title in ("games won", "interquartile means", "probability of improvement"):
        text = saved(page, page.get_by_role("button", name=f"save {title} as CSV"))
        tables[title] = {row["method"]: row for row in csv.DictReader(text.splitlines())}
        assert set(tables[title]) == names
    assert all(int(row["all"]) == int(row["single-agent"]) for row in tables["games won"].values())
    assert {float(row["interquartile mean"]) for row in tables["interquartile means"].values()} == {
        *page.locator(".mean").evaluate_all(NUMBERS)
    }
    chances = tables["probability of improvement"]
    one, other = sorted(names)[:2]
    assert float(chances[one][other]) + float(chances[other][one]) == pytest.approx(1, abs=1e-15)
    drawing = ElementTree.fromstring(saved(page, page.get_by_role("button", name="save interquartile means as SVG")))
    texts = " ".join(filter(None, (text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text"))))
    assert all(name in texts for name in names)


def test_names_are_never_cut(page, address):
    titles = page.locator("table.matrix thead .turned")
    assert set(titles.all_inner_texts()) == set(in_colour(page))
    assert titles.evaluate_all("all => all.every(one => one.scrollHeight <= one.clientHeight)")
    assert titles.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
    for width in (1400, 390):
        opened(page, address, width)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        labels = page.locator(".mean-name")
        assert "\u2026" not in "".join(labels.all_text_contents())
        panel = page.locator(".panel", has=labels.first).bounding_box()
        assert min(label.bounding_box()["x"] for label in labels.all()) > panel["x"]
    # A phone shows the numbers beside the names.
    right = "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
    for key in (".best-table td.final", ".scores td.final", ".narrow .total", ".matrix td:nth-child(3)"):
        column = page.locator(key)
        box = page.locator(".scroll", has=column.first).bounding_box()
        assert column.evaluate_all(right) <= box["x"] + box["width"], key  # a number without its exponent would mislead
    for row in page.locator(".methods-table tbody tr").all():
        name, rank, settings = (cell.bounding_box() for cell in row.locator("th, td").all())
        assert rank["x"] + rank["width"] < 390
        assert settings["y"] >= name["y"] + name["height"] - 1  # below the name, over the whole width
    page.locator("[data-all=all]").evaluate("one => one.click()")
    press(page, "show as", "heat map")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
