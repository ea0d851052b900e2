"""Everything that can go wrong through input, as typed exceptions with one clear sentence each."""

from __future__ import annotations

import os
import re
import reprlib
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

_NOT_OWN = (Path(__file__).parent, *(Path(folder) for folder in set(sysconfig.get_paths().values())))
"""Where code is that is not the user's: this package, Python, and what is installed."""


class _Brief(reprlib.Repr):
    """Values as part of a sentence."""

    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to write out a number of thousands of digits."""
        return super().repr_int(x, level) if x.bit_length() < 4096 else "a number of more than a thousand digits"


_BRIEF = _Brief()
_BRIEF.maxlevel, _BRIEF.maxlist, _BRIEF.maxtuple, _BRIEF.maxdict = 2, 4, 4, 4
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 60


DEBUG = "GAMEBENCH_DEBUG"
"""A variable of the environment: if it is set, errors that cost only a run are shown with their tracebacks, too."""


def show_if_wanted(error: BaseException) -> None:
    """Print the traceback to stderr, if somebody is looking for a fault."""
    if os.environ.get(DEBUG):
        traceback.print_exception(error)


class PassingError(BaseException):
    """What is no failure of the code that it passes through, and is not taken for one."""


PASSING = (KeyboardInterrupt, PassingError)
"""What whoever calls a user's code lets through. Everything else is a failure of that code, ``sys.exit()`` included:
one run must not end the process that has others to do."""


def one_line(error: BaseException) -> str:
    """Another library's message as part of a sentence: no line breaks, no path of a C++ file, not too long."""
    text = re.sub(r"^\S*open_spiel/\S+:\d+\s*", "", _text_of(error).strip())
    return " ".join(text.split())[:200].rstrip(".")


def _text_of(error: BaseException) -> str:
    """Its message, unless its own code fails to tell it."""
    try:
        return str(error)
    except PASSING:
        raise
    except BaseException as another:
        return f"(no message: its __str__ raised {type(another).__name__})"


def brief(value: object) -> str:
    """A value as part of a sentence, however large it is, and whatever its ``__repr__`` does."""
    try:
        return _BRIEF.repr(value)
    except PASSING:
        raise
    except BaseException:
        return f"<{type(value).__name__}>"


def is_utf8(text: str) -> bool:
    """Whether a text can be written to a file: halves of characters, as in names that are not UTF-8, cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def printable(text: str) -> str:
    """The text without characters that would move the cursor or break a line: those are shown as escapes."""
    return text if text.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def readable(text: str) -> str:
    """The text in one line; the middle of a very long one is left out."""
    text = printable(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST * 3 // 5]} ... {text[-LONGEST // 3 :]}"


def shortened(information_state: str) -> str:
    """An information state as part of a sentence: some fill a page."""
    return repr(information_state if len(information_state) <= 80 else f"{information_state[:80]}...")


def _letters(name: str) -> str:
    """A name without what people get wrong: case, underscores, hyphens."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


LONGEST = 500
"""Characters of a sentence: one that quotes thousands of a user's is not read."""


class GameBenchError(Exception):
    """Base of every error that a user's input can cause."""

    def __str__(self) -> str:
        """The sentence itself, also in errors that are KeyErrors, which Python would show in quotes."""
        return readable(Exception.__str__(self))


def sentence(error: BaseException) -> str:
    """What went wrong, in our words, or in those of another library with the kind of its error."""
    if isinstance(error, GameBenchError):
        return _text_of(error)
    return f"{kind_and_text(error)}{where(error)}."


@contextmanager
def contained(what: str) -> Iterator[None]:
    """Turn what would end the process, such as ``sys.exit()`` in a user's code, into an error that says so.

    Exceptions are not changed; ``what`` says what could not be done.
    """
    try:
        yield
    except (Exception, *PASSING):
        raise
    except BaseException as error:
        raise GameBenchError(f"{what}: {sentence(error)}") from error


def kind_and_text(error: BaseException) -> str:
    """The kind of an error and its message, without a full stop."""
    if isinstance(error, SystemExit):
        code = "" if error.code is None else brief(error.code)
        return f"SystemExit: sys.exit({code}) would end the whole process"
    text = one_line(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def where(error: BaseException) -> str:
    """The last line of the user's own code that an error passed through, in brackets; nothing if there is none."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if not any(file.is_relative_to(folder) for folder in _NOT_OWN) and file.is_file():
            found = f" ({file.name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return found


class UnknownNameError(GameBenchError, KeyError):
    """A name that nothing is registered under."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Say which ``kind`` of thing was asked for and suggest the nearest of the ``known`` names."""
        names = list(known)
        by_letters = {_letters(known_name): known_name for known_name in names}
        containing = [letters for letters in by_letters if len(name) > 2 and _letters(name) in letters]
        similar = get_close_matches(_letters(name), by_letters, n=3, cutoff=0.5)
        nearest = list(dict.fromkeys([*similar[:1], *containing, *similar]))[:3]
        if nearest:
            hint = f"did you mean {' or '.join(repr(by_letters[match]) for match in nearest)}?"
        else:
            hint = f"known are {', '.join(names[:20])}{' and others' if len(names) > 20 else ''}."
        super().__init__(f"There is no {kind} called {shortened(name)}; {hint}")


class GameError(GameBenchError, ValueError):
    """A game that cannot be loaded or that breaks an assumption."""


class GameFileError(GameError):
    """A game file that cannot be read."""


class NoInformationStatesError(GameError):
    """A game that does not say what its players know."""


class ImperfectRecallError(GameError):
    """A game in which a player forgets; the sequence form does not exist for it."""


class GameTooLargeError(GameError):
    """A game with more histories than the budget allows."""


class TeamsError(GameError):
    """Teams that are not a partition of the players."""


class FocalError(GameError):
    """A focal player that does not exist or cannot be singled out."""


class PolicyError(GameBenchError, ValueError):
    """Numbers that are not a policy, or a policy file that cannot be read."""


class PolicyMismatchError(PolicyError):
    """A policy that belongs to another game."""


class MeasureError(GameBenchError, ValueError):
    """A measure that does not apply, or one that returned something other than a number."""


class ResponseLimitError(GameBenchError, RuntimeError):
    """An exact team response beyond the stated size limit."""


class ConvexError(GameBenchError, ValueError):
    """A convex function that is none, or cannot be used."""


class SettingError(GameBenchError, ValueError):
    """A hyper-parameter out of its range."""


class RunError(GameBenchError, RuntimeError):
    """A run that stopped before its last iteration; what there is of it is in ``result``."""

    def __init__(self, message: str, result: Any) -> None:
        """``result`` is the run's :class:`gamebench.Result` up to there."""
        super().__init__(message)
        self.result = result


class RunInterrupted(KeyboardInterrupt):
    """A run that the user stopped; what there is of it is in ``result``."""

    def __init__(self, message: str, result: Any) -> None:
        """``result`` is the run's :class:`gamebench.Result` up to there."""
        super().__init__(message)
        self.result = result


class StateError(GameBenchError, ValueError):
    """A saved state that cannot be read, or is that of another game or algorithm."""


class SpecError(GameBenchError, ValueError):
    """A description of runs that cannot be read or that makes no sense."""


class StoreError(GameBenchError, ValueError):
    """A folder that is not one of results, or results that are damaged."""


class DiskError(StoreError):
    """A folder or a file that the operating system refuses to read or write: a full disk, for instance."""


class PluginError(GameBenchError, ImportError):
    """A plug-in that cannot be loaded."""


class ExecutorError(GameBenchError, RuntimeError):
    """An executor that cannot do its work."""
