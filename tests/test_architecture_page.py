"""The page on the architecture is true: its layers are those of the package, its pixel is on the screen."""

import io
import re
import shutil

import numpy as np
import pytest

import gamebench as gb
from gamebench.report.page import build_page
from tests.patience import HANG_MS
from tests.test_documentation import ROOT
from tests.test_structure import LAYERS

PAGE = ROOT / "docs" / "architecture.md"
DRAWING = ROOT / "docs" / "_static" / "architecture.svg"
PAINT = """one => {
  const brush = document.createElement("canvas").getContext("2d");
  brush.fillStyle = getComputedStyle(one).stroke;
  brush.fillRect(0, 0, 1, 1);
  return [...brush.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}"""
"""The colour of a line as red, green and blue, however the style sheet specifies it."""


def test_the_page_lists_the_layers_in_their_order():
    table = PAGE.read_text().split("## The layers")[1]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == LAYERS


def test_the_drawing_shows_every_layer_once():
    drawn = re.findall(r'<text class="room"[^>]*>(\w+)</text>', DRAWING.read_text())
    assert sorted(drawn) == sorted(LAYERS)


def test_the_drawing_needs_nothing_from_elsewhere():
    assert not re.search(r"href|url\(|@import|@font-face|<image", DRAWING.read_text())


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_the_payoff_ends_as_a_pixel(tmp_path):
    """The chart's first marker is where its line begins, has the line's colour, and shows NashConv."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    image = pytest.importorskip("PIL.Image")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no browser here")
    sweep = {"games": ["kuhn_poker"], "algorithms": ["CFR+"], "iterations": 64}
    outcome = gb.sweep(sweep, tmp_path / "results", executor="serial")
    file = tmp_path / "page.html"
    file.write_text(build_page(outcome.store), encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=found, args=options, timeout=HANG_MS)
        page = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme="light")
        page.set_default_timeout(HANG_MS)
        page.goto(file.as_uri())
        plot = page.locator(".card .plot").first
        plot.scroll_into_view_if_needed()
        line = plot.locator(".series .line").first
        begin = line.get_attribute("d").split("L")[0].removeprefix("M")
        wanted = line.evaluate(PAINT)
        across, down = (float(number) for number in begin.split())
        picture = np.asarray(image.open(io.BytesIO(plot.locator("svg").screenshot())).convert("RGB"))
        plot.focus()
        page.keyboard.press("Home")
        shown = float(page.locator(".card .tip li").first.get_attribute("data-value"))
        browser.close()
    assert shown == pytest.approx(11 / 12, abs=1e-12)
    around = picture[round(down) - 1 : round(down) + 2, round(across) - 1 : round(across) + 2].astype(int)
    assert np.abs(around - wanted).sum(axis=2).min() < 30
