"""The API reference shows every public name exactly once, with the right directive."""

import inspect
import re
from collections import Counter
from operator import attrgetter
from pathlib import Path

import gamebench as gb

PAGE = (Path(__file__).parent.parent / "docs" / "api.md").read_text()
REGISTERED = [
    ("class", f"{home}.{cls.__name__}")
    for home, name in re.findall(r"^\.\. registered:: gamebench\.(\w+)\.(\w+)$", PAGE, re.MULTILINE)
    for cls in getattr(getattr(gb, home), name).values()
    if hasattr(getattr(gb, home), cls.__name__)
]
SHOWN = [*re.findall(r"^\.\. (?:auto|py:)(\w+):: gamebench\.([\w.]+)$", PAGE, re.MULTILINE), *REGISTERED]


def suitable(thing):
    """The right directive: for a function, an exception, a class or data."""
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if callable(thing) else "data"


def test_every_name_suits_its_directive_and_is_shown_once():
    assert not [name for _, name in SHOWN if list(zip(*SHOWN, strict=True))[1].count(name) > 1]
    assert not [(kind, name) for kind, name in SHOWN if kind != suitable(attrgetter(name)(gb))]


def test_every_public_name_is_shown():
    shown = Counter(name for _, name in SHOWN)
    top = {name for name in gb.__all__ if not inspect.ismodule(getattr(gb, name))}
    assert {name for name in shown if "." not in name} == top
    homes = "analysis", "experiments", "report"
    lists = {f"{home}.{name}" for home in homes for name in getattr(gb, home).__all__}
    classes = {f"errors.{name}" for name, thing in vars(gb.errors).items() if inspect.isclass(thing) and is_own(thing)}
    assert not {name for name in lists | classes if name.split(".")[1] not in gb.__all__} - set(shown)


def is_own(error):
    """Whether a class in ``gb.errors`` is an error that users may catch."""
    return issubclass(error, gb.errors.GameBenchError | gb.errors.RunInterrupted)
