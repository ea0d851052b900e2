"""What a reader does in the browser; each function returns once the page has reacted."""

from gamebench.report.page import build_page
from tests.patience import wait_until

BACK = """() => new Promise(done => {
  addEventListener("popstate", () => setTimeout(done), { once: true });
  history.back();
})"""
NUMBERS = "all => all.map(one => Number(one.dataset.value))"
WAYS = "all => all.map(one => one.getAttribute('d'))"


def written(folder, *stores, **options):
    """Write the page of some stores, and return its address."""
    file = folder / "page.html"
    file.write_text(build_page(*stores, **options), encoding="utf-8")
    return file.as_uri()


def opened(window, address, width=1400):
    """Open a page afresh in a window that was used before."""
    window.set_viewport_size({"width": width, "height": 900})
    window.goto("about:blank")
    window.goto(address)
    return window


def go_back(page):
    """Go back to the previous view and wait until the page knows."""
    page.evaluate(BACK)


def press_escape(page):
    """Close the enlarged chart and wait until the page knows."""
    page.keyboard.press("Escape")
    wait_until(lambda: "large=" not in page.evaluate("location.hash"))  # page.url is only as new as the last answer


def press(page, group, name):
    """Press one of a row of buttons."""
    page.get_by_role("group", name=group, exact=True).get_by_role("button", name=name, exact=True).click()


def saved(page, button):
    """Return the text that a button saves."""
    with page.expect_download() as download:
        button.click()
    return download.value.path().read_text(encoding="utf-8")


def card(page, game):
    """Return the small chart of a game."""
    return page.locator("#summary .card", has=page.get_by_role("heading", name=game, exact=True))


def drawn(page, game):
    """Return the paths of the lines in the small chart of a game."""
    return card(page, game).locator(".series .line").evaluate_all(WAYS)


def in_colour(page):
    """Return the names of the methods that are switched on."""
    return page.locator(".legend-bar .chip[aria-pressed=true][data-method]").all_inner_texts()
