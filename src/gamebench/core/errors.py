"""Exceptions that users' input can cause, and functions that describe errors and values in clear sentences."""

from __future__ import annotations

import os
import re
import reprlib
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

_NOT_OWN = (Path(__file__).parents[1], *(Path(folder) for folder in set(sysconfig.get_paths().values())))
"""Folders of code that is not the user's: this package, Python and installed packages."""


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel, _BRIEF.maxlist, _BRIEF.maxtuple, _BRIEF.maxdict = 2, 4, 4, 4
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 60

DEBUG = "GAMEBENCH_DEBUG"
"""Environment variable. If set, failed runs also print their traceback."""
LONGEST = 500
"""Maximum length of a message in characters; a longer quotation of the user's input would hide the point."""


def show_if_wanted(error: BaseException) -> None:
    """Print the traceback to stderr if the environment variable :data:`DEBUG` is set."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)


FAILURES = (Exception, SystemExit)
"""Errors to catch from users' code. They include ``sys.exit()``, which must not end a process with other runs."""


def one_line(error: BaseException) -> str:
    """Return an error's message in one line of at most 200 characters, without the path of a C++ file.

    The message is empty if the ``__str__`` of a user's exception fails.
    """
    try:
        text = re.sub(r"^\S*open_spiel/\S+:\d+\s*", "", str(error).strip())
    except FAILURES:
        return ""
    return " ".join(text.split())[:200].rstrip(".")


def brief(value: object) -> str:
    """Return a short representation of a value, even if its ``__repr__`` fails."""
    try:
        return _BRIEF.repr(value)
    except FAILURES:
        return f"<{type(value).__name__}>"


def first_few(texts: Sequence[str], most: int = 6) -> str:
    """Join texts with commas; if there are more than ``most``, give only the number of the rest.

    >>> first_few(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    rest = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + rest


def is_utf8(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8; file names in other encodings contain lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def printable(text: str) -> str:
    """Escape all characters that would move the cursor or break the line."""
    return text if text.isprintable() else "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def readable(text: str) -> str:
    """Return the text on one line; the middle of a very long text is left out."""
    text = printable(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST * 3 // 5]} ... {text[-LONGEST // 3 :]}"


def shortened(information_state: str) -> str:
    """Return an information state in quotes, cut after 80 characters: some would fill a page."""
    return repr(information_state if len(information_state) <= 80 else f"{information_state[:80]}...")


def _letters(name: str) -> str:
    """Return a name in lower case without spaces, underscores and hyphens, which people often get wrong."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that the user may have meant, the nearest first."""
    by_letters = {_letters(known_name): known_name for known_name in known}
    containing = [letters for letters in by_letters if len(name) > 2 and _letters(name) in letters]
    similar = get_close_matches(_letters(name), by_letters, n=3, cutoff=0.5)
    return [by_letters[match] for match in dict.fromkeys([*similar[:1], *containing, *similar])][:3]


class GameBenchError(Exception):
    """Base class of all errors that a user's input can cause."""

    def __str__(self) -> str:
        """Return the sentence without the quotes that Python adds to a KeyError."""
        return readable(Exception.__str__(self))


def sentence(error: BaseException) -> str:
    """Describe an error, whether GameBench's own or another library's, in one sentence."""
    if isinstance(error, GameBenchError):
        return str(error)
    return f"{kind_and_text(error)}{where(error)}."


@contextmanager
def contained(what: str) -> Iterator[None]:
    """Turn ``sys.exit()`` in users' code into a :class:`GameBenchError`; ``what`` says what failed."""
    try:
        yield
    except SystemExit as error:
        raise GameBenchError(f"{what}: {sentence(error)}") from error


@contextmanager
def file_errors_as(kind: type[GameBenchError], problem: str) -> Iterator[None]:
    """Turn any error in reading or writing a file into one of this kind: "``problem``: reason."."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = error.strerror or error if isinstance(error, OSError) else "its name or its content is not text"
        raise kind(f"{problem}: {reason}.") from error


def kind_and_text(error: BaseException) -> str:
    """Return the class of an error and its message, without a full stop."""
    if isinstance(error, SystemExit):
        code = "" if error.code is None else brief(error.code)
        return f"SystemExit: sys.exit({code}) would end the whole process"
    text = one_line(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def where(error: BaseException) -> str:
    """Return the last line of the user's own code that an error passed through, in brackets; empty if none."""
    last = last_line(error, lambda file: file.is_file() and not any(map(file.is_relative_to, _NOT_OWN)))
    return "" if last is None else f" ({last[0].name}, line {last[1]})"


def last_line(error: BaseException, is_meant: Callable[[Path], bool]) -> tuple[Path, int] | None:
    """Return the last file and line that an error passed through, among the files for which ``is_meant`` is true."""
    lines = [(Path(frame.f_code.co_filename), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next(((file, line) for file, line in reversed(lines) if is_meant(file)), None)


class UnknownNameError(GameBenchError, KeyError):
    """Nothing is registered under this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str], more: str = "") -> None:
        """Name the ``kind`` that was asked for, suggest the nearest of the ``known`` names, and append ``more``."""
        names = list(known)
        if meant := nearest(name, names):
            hint = f"did you mean {' or '.join(map(repr, meant))}?"
        else:
            hint = f"available: {', '.join(names[:20])}{' and others' if len(names) > 20 else ''}."
        super().__init__(f"There is no {kind} called {shortened(name)}; {hint}{more and f' {more}'}")


class GameError(GameBenchError, ValueError):
    """A game cannot be loaded, or it breaks an assumption."""


class GameFileError(GameError):
    """A game file cannot be read."""


class NoInformationStatesError(GameError):
    """A game does not specify what its players know."""


class ImperfectRecallError(GameError):
    """A player forgets what they knew or did, so the game has no sequence form."""


class GameTooLargeError(GameError):
    """A game has more histories than the budget allows."""


class TeamsError(GameError):
    """The teams are not a partition of the players."""


class FocalError(GameError):
    """The focal player does not exist or cannot be singled out."""


class PolicyError(GameBenchError, ValueError):
    """The numbers are not a policy, or a policy file cannot be read."""


class PolicyMismatchError(PolicyError):
    """A policy belongs to another game."""


class MeasureError(GameBenchError, ValueError):
    """A measure does not apply to a game, or it failed to return a number."""


class ResponseLimitError(GameBenchError, RuntimeError):
    """An exact team response exceeds the size limit."""


class ConvexError(GameBenchError, ValueError):
    """A function is not convex, or cannot be used."""


class SettingError(GameBenchError, ValueError):
    """A setting, such as a hyper-parameter, is out of range."""


class RunError(GameBenchError, RuntimeError):
    """A run failed before its last iteration; ``result`` is the :class:`gamebench.Result` up to then."""

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result


class RunInterrupted(KeyboardInterrupt):
    """The user stopped a run; ``result`` is the :class:`gamebench.Result` up to then."""

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result


class StateError(GameBenchError, ValueError):
    """A saved state cannot be read, or belongs to another game or algorithm."""


class SpecError(GameBenchError, ValueError):
    """A description of runs cannot be read or makes no sense."""


class StoreError(GameBenchError, ValueError):
    """A folder does not contain results, or the results are damaged."""


class DiskError(StoreError):
    """The operating system refuses to read or write a file or folder, for example because the disk is full."""


class PluginError(GameBenchError, ImportError):
    """A plug-in cannot be loaded."""


class ExecutorError(GameBenchError, RuntimeError):
    """An executor cannot execute runs."""
