"""What a reader does in the browser, up to the moment at which the page has followed."""

from tests.patience import wait_until

BACK = """() => new Promise(done => {
  addEventListener("popstate", () => setTimeout(done), { once: true });
  history.back();
})"""


def go_back(page):
    """Go back to the view before; the browser tells the page about it somewhat later."""
    page.evaluate(BACK)


def press_escape(page):
    """Close the enlarged chart; the browser tells the page about it somewhat later."""
    page.keyboard.press("Escape")
    wait_until(lambda: "large=" not in page.evaluate("location.hash"))  # page.url is only as new as the last answer
