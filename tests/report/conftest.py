"""One browser, one window and one large store for the tests of pages."""

import shutil

import pytest

from tests.patience import HANG_MS
from tests.report.stores import make_store

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


@pytest.fixture(scope="package")
def window(browser):
    """One window for all tests; its pages may neither log anything nor send requests, and links scroll at once."""
    page = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme="light", reduced_motion="reduce")
    page.set_default_timeout(HANG_MS)
    complaints = []
    page.on("request", lambda request: complaints.append(request.url) if "page.html" not in request.url else None)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.complaints = complaints
    yield page
    page.close()


@pytest.fixture(autouse=True)
def no_complaints(request):
    """No page logs an error or sends a request during a test."""
    yield
    if "window" in request.fixturenames:
        assert request.getfixturevalue("window").complaints == []


@pytest.fixture(scope="package")
def made(tmp_path_factory):
    """The store of four games and four methods, and the wicked name of one of these games."""
    return make_store(tmp_path_factory.mktemp("made"))
