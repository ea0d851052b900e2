"""A browser for the tests of pages."""

import shutil

import pytest

from tests.patience import HANG_MS

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="package")
def browser():
    """One browser for all tests of a process; tests that use it are in the xdist group ``browser``."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"there is no browser here: none of {', '.join(BROWSERS)}")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=OPTIONS, timeout=HANG_MS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def window(browser):
    """A window for the tests of a module, in which no page may complain; links scroll at once."""
    page = browser.new_page(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    page.set_default_timeout(HANG_MS)
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    assert complaints == []
    page.close()
