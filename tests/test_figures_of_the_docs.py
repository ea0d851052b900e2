"""A figure in the docs opens in full size, by mouse or keyboard, and closes again."""

import shutil

import pytest

from tests.patience import HANG_MS
from tests.test_documentation import ROOT

STATIC = ROOT / "docs" / "_static"
PAGE = f"""<!doctype html><title>A page</title><base href="{STATIC.as_uri()}/">
<link rel="stylesheet" href="gamebench.css"><script src="figures.js"></script>
<article style="width: 300px"><p><img alt="Six methods" src="paper/summary.png" width="300"></p>
<p><a href="#"><img alt="A link" src="idea.svg"></a></p></article>"""


@pytest.mark.xdist_group("browser")
def test_figures_open_in_full_size(tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no browser here")
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=found, args=options, timeout=HANG_MS)
        page = browser.new_page(viewport={"width": 1000, "height": 600})
        page.set_default_timeout(HANG_MS)
        page.goto(file.as_uri())
        assert page.locator("button.enlarge").count() == 1  # a figure that is a link stays one
        enlarged = page.locator("dialog.enlarged img")
        page.locator("button.enlarge").click()
        assert enlarged.evaluate("async image => { await image.decode(); return image.clientWidth; }") == 1705
        assert enlarged.get_attribute("alt") == "Six methods"
        enlarged.click()
        assert not enlarged.is_visible()
        page.locator("button.enlarge").focus()
        page.keyboard.press("Enter")
        assert enlarged.is_visible()
        page.keyboard.press("Escape")
        assert not enlarged.is_visible()
        assert page.evaluate("document.activeElement.className") == "enlarge"
        browser.close()
