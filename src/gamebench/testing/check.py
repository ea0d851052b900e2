"""What a check is: a question to one thing that is registered, with a sentence for an answer if it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from gamebench.errors import PASSING, GameBenchError, sentence
from gamebench.settings import Settings

T = TypeVar("T")


class ConformanceError(GameBenchError, AssertionError):
    """Something registered does not do what everything of its kind does."""


@dataclass(frozen=True)
class Check:
    """One check of one thing; calling it raises :class:`ConformanceError` unless it passes."""

    kind: str
    """Of the thing, such as ``"measure"``."""
    subject: str
    """The thing's name."""
    title: str
    """What is checked."""
    run: Callable[[], None]

    def __call__(self) -> None:
        """Raise unless it passes."""
        try:
            self.run()
        except ConformanceError as error:
            raise ConformanceError(f"The {self.kind} {self.subject!r}: {error}") from error
        except PASSING:
            raise
        except BaseException as error:  # whatever the user's code raises where it should not
            raise ConformanceError(
                f"The {self.kind} {self.subject!r} raised where it should not: {sentence(error)}"
            ) from (error)

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.title}"


def checks_from(kind: str, subject: str, thing: T, questions: Iterable[Callable[[T], None]]) -> list[Check]:
    """A check for each question, titled with the first line of its docstring."""
    titles = {question: str(question.__doc__).splitlines()[0].rstrip(".") for question in questions}
    return [Check(kind, subject, title, partial(question, thing)) for question, title in titles.items()]


def require(condition: Any, what: str) -> None:
    """Raise with a sentence unless the condition holds."""
    if not condition:
        raise ConformanceError(what)


@contextmanager
def refused(what: str) -> Iterator[None]:
    """The block must raise one of our errors: a sentence, not a traceback."""
    try:
        yield
    except GameBenchError:
        return
    except PASSING:
        raise
    except BaseException as error:
        raise ConformanceError(
            f"{what} must be refused with a GameBenchError, not with {type(error).__name__}."
        ) from error
    raise ConformanceError(f"{what} must be refused, and is not.")


def check_settings(kind: type[Settings]) -> None:
    """Settings that do not exist, and objects as settings, must be refused."""
    for name in ("no_such_setting", *(one.name for one in kind.settings())):
        with refused(f"An object() as {name}"):
            kind(**{name: object()})
