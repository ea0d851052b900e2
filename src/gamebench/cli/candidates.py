"""Tab completion: what can stand at the end of a command line.

The scripts of ``gamebench completion`` start ``gamebench`` with the environment variable ``_GAMEBENCH_COMPLETE``. Then
it prints ``files`` or ``names``, which says whether files complete the word if nothing else does, and after that one
candidate per line. Names come from a table (:mod:`gamebench.cli.known_names`), so that an answer takes a tenth of a
second; only names of OpenSpiel's games are asked for, once the word has begun like none of ours.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, get_args, get_type_hints

import typer.main

import gamebench.cli.main  # noqa: F401  (which adds the commands to the application)
from gamebench.choices import CONCEPTS, ITERATES, OBJECTIVES
from gamebench.cli.application import app, summary_of
from gamebench.cli.completion import Shell
from gamebench.cli.figure_commands import listed
from gamebench.cli.known_names import known_names
from gamebench.cli.options import OUT

SPECIAL = re.compile(r"([^\w@%+=:,./^-])", re.ASCII)
"""Characters that bash does not take literally outside quotes; ``~`` is among them."""


class Candidate(NamedTuple):
    """A word that can stand there, and what it means."""

    value: str
    help: str = ""


class Completions(NamedTuple):
    """Candidates, and whether files complete the word if there are none."""

    candidates: list[Candidate]
    takes_files: bool


class Word(NamedTuple):
    """The incomplete word, and the values given so far by the names of their parameters."""

    text: str
    given: dict[str, list[str]]


NameSource: TypeAlias = Callable[[Word], Iterable[Candidate]]
"""Function that yields candidates for a word; those that do not begin like it are left out."""


def answer(shell: str, arguments: Sequence[str]) -> str:
    """Return what a shell's script reads: the arguments are the words so far, or for bash its line and ``$2``."""
    if shell != Shell.BASH:
        *words, incomplete = arguments or [""]
        found = complete(words, incomplete)
        lines = ["\t".join(filter(None, candidate)) for candidate in found.candidates]
    else:
        line, replaced = arguments
        words, raw, quote = split_line(line)
        found = complete(words, unquoted(raw))
        kept = len(unquoted(raw.removesuffix(replaced)))  # characters that bash leaves alone
        lines = [quoted(candidate.value[kept:], quote) for candidate in found.candidates]
    return "".join(f"{line}\n" for line in ("files" if found.takes_files else "names", *lines))


def split_line(line: str) -> tuple[list[str], str, str]:
    """Return the arguments of a command as it gets them, the incomplete last one as typed, and its open quote."""
    words, raw, quote, is_escaped = list[str](), "", "", False
    for letter in line:
        if not quote and not is_escaped and letter.isspace():
            words += [unquoted(raw)] if raw else []
            raw = ""
            continue
        raw += letter
        if is_escaped:
            is_escaped = False
        elif letter == "\\" and quote != "'":
            is_escaped = True
        elif letter == quote:
            quote = ""
        elif not quote and letter in "\"'":
            quote = letter
    assigned = [re.match(r"\w+=", word) is not None for word in words]  # variables before the command
    return words[assigned.index(False) + 1 :] if False in assigned else [], raw, quote


def unquoted(raw: str) -> str:
    """Return a word as the command gets it, also if a quote is still open."""
    text, quote, is_escaped = "", "", False
    for letter in raw:
        if is_escaped:
            text += letter if not quote or letter in '"\\$`' else f"\\{letter}"
            is_escaped = False
        elif letter == "\\" and quote != "'":
            is_escaped = True
        elif letter == quote:
            quote = ""
        elif not quote and letter in "\"'":
            quote = letter
        else:
            text += letter
    return text


def quoted(text: str, quote: str) -> str:
    """Return a text as one types it in bash after this open quote, or without any."""
    if quote == "'":
        return text.replace("'", "'\\''")
    return re.sub(r'(["\\$`])', r"\\\1", text) if quote else SPECIAL.sub(r"\\\1", text)


def complete(words: Sequence[str], incomplete: str) -> Completions:
    """Return what can follow these words; the last one has begun with ``incomplete``."""
    root: Any = typer.main.get_command(app)
    position = next((index for index, word in enumerate(words) if not word.startswith("-")), None)
    if position is None:
        if incomplete.startswith("-"):
            return Completions(_beginning_like(incomplete, _options(root, {})), takes_files=False)
        commands = (Candidate(name, summary_of(command.help or "")) for name, command in root.commands.items())
        return Completions(_beginning_like(incomplete, commands), takes_files=False)
    command = root.commands.get(words[position])
    return _of_command(command, words[position + 1 :], incomplete) if command is not None else Completions([], True)


def _of_command(command: Any, words: Sequence[str], incomplete: str) -> Completions:
    """Return what can follow the words after a command."""
    by_name = {name: option for option in command.params for name in _spellings(option)}
    arguments = [argument for argument in command.params if argument.param_type_name == "argument"]
    given: dict[str, list[str]] = {}
    waiting, positional = None, 0
    for word in words:
        name, equals, value = word.partition("=")
        option = by_name.get(name if word.startswith("--") else word)
        if waiting is not None:
            given[waiting.name].append(word)
            waiting = None
        elif option is not None:
            given.setdefault(option.name, []).extend([value] if equals else [])
            waiting = None if equals or option.is_flag else option
        elif not word.startswith("-"):
            given.setdefault(arguments[min(positional, len(arguments) - 1)].name if arguments else "", []).append(word)
            positional += 1
    if waiting is not None:
        return _values(command, waiting, Word(incomplete, given))
    if incomplete.startswith("--") and "=" in incomplete:
        name, _, text = incomplete.partition("=")
        if name not in by_name:
            return Completions([], takes_files=False)
        found = _values(command, by_name[name], Word(text, given))
        return Completions(
            [Candidate(f"{name}={each.value}", each.help) for each in found.candidates], found.takes_files
        )
    has_more = positional < len(arguments) or any(argument.nargs == -1 for argument in arguments)
    if incomplete.startswith("-") or not has_more:
        return Completions(_beginning_like(incomplete, _options(command, given)), takes_files=False)
    return _values(command, arguments[min(positional, len(arguments) - 1)], Word(incomplete, given))


def _spellings(option: Any) -> list[str]:
    """Return the names of an option as they are typed; none for an argument."""
    return [name for name in (*option.opts, *option.secondary_opts) if name.startswith("-")]


def _options(command: Any, given: dict[str, list[str]]) -> Iterator[Candidate]:
    """Yield the long options that have not been given, or may be repeated."""
    for option in command.params:
        is_spent = option.name in given and not option.multiple if hasattr(option, "multiple") else False
        if option.param_type_name == "option" and not is_spent:
            long_names = [name for name in _spellings(option) if name.startswith("--")]
            yield from (Candidate(name, summary_of(option.help or "")) for name in long_names)
    yield Candidate("--help", "Show this message and exit.")


def _values(command: Any, parameter: Any, word: Word) -> Completions:
    """Return the values of an option or an argument that begin like the word."""
    kind = get_type_hints(inspect.unwrap(command.callback)).get(parameter.name)
    kinds = {kind, *get_args(kind), *(inner for outer in get_args(kind) for inner in get_args(outer))}
    names = next((each for each in kinds if isinstance(each, type) and issubclass(each, Enum)), None)
    name = parameter.name
    full_name = f"{command.name} {name}"
    source = SOURCES.get(full_name) or SOURCES.get(name)
    if names is not None:
        candidates: Iterable[Candidate] = (Candidate(str(value)) for value in names)
    else:
        candidates = source(word) if source is not None else ()
    return Completions(
        _beginning_like(word.text, candidates), takes_files=Path in kinds or bool({name, full_name} & WITH_FILES)
    )


def _beginning_like(text: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates that begin like the text, or else those that do so in another case."""
    every = list(candidates)
    exact = [candidate for candidate in every if candidate.value.startswith(text)]
    return exact or [candidate for candidate in every if candidate.value.casefold().startswith(text.casefold())]


def _names(*kinds: str) -> NameSource:
    """Return a source of all names of these kinds."""

    def listed(_: Word) -> Iterator[Candidate]:
        for kind in kinds:
            for name, about in known_names()[kind].items():
                yield Candidate(name, summary_of(about["help"] if isinstance(about, dict) else about))

    return listed


def _games(word: Word) -> list[Candidate]:
    """Return games with a shorthand, and OpenSpiel's once a word has begun that none of those begins with."""
    from gamebench.games.catalog import NAMED_GAMES

    ours = [
        Candidate(name, f"{game.category}, {game.decision_points} decision points")
        for name, game in NAMED_GAMES.items()
    ]
    if not word.text or any(candidate.value.startswith(word.text) for candidate in ours):
        return ours
    from gamebench.games.openspiel import registered_games

    return [*ours, *(Candidate(name, "OpenSpiel") for name in registered_games())]


def _settings(word: Word) -> Iterator[Candidate]:
    """Yield the hyper-parameters of the chosen algorithm as ``name=``, and values once there is a name."""
    known = known_names()
    chosen = word.given.get("algorithm", ["CMD"])[-1].casefold()
    settings: dict[str, Any] = next(
        (about["settings"] for name, about in known["algorithms"].items() if name.casefold() == chosen), {}
    )
    name, equals, _ = word.text.partition("=")
    if not equals:
        yield from (Candidate(f"{name}=", about["help"]) for name, about in settings.items())
        return
    values = settings.get(name, {}).get("values", [])
    yield from (Candidate(f"{name}={value}") for value in (known[values] if isinstance(values, str) else values))


def _runs(word: Word) -> Iterator[Candidate]:
    """Yield the identities of the runs in the folder of results."""
    folder = Path(word.given.get("out", [str(OUT)])[-1]) / "runs"
    if folder.is_dir():
        yield from (Candidate(path.name) for path in sorted(folder.iterdir()))


def _of_results(names_in: Callable[[dict[str, Any]], Iterable[str]]) -> NameSource:
    """Return a source of names in the descriptions of runs; names that are already there before a comma stay."""

    def found(word: Word) -> Iterator[Candidate]:
        unfinished = (listed([word.text]) or [""])[-1]
        before = word.text.rstrip().removesuffix(unfinished)
        names = set[str]()
        for folder in word.given.get("folders", [str(OUT)]):
            for path in Path(folder).glob("runs/*/spec.json"):
                with suppress(OSError, ValueError, KeyError, TypeError):  # damaged runs have no names
                    names.update(names_in(json.loads(path.read_bytes())))
        yield from (Candidate(f"{before}{name}") for name in sorted(names))

    return found


_games_of_results = _of_results(lambda run: [run["game"]])
_methods_of_results = _of_results(lambda run: run["methods"])


def _keys(_: Word) -> Iterator[Candidate]:
    """Yield the keys of a sweep as ``key=``."""
    yield from (Candidate(f"{key}=") for key in known_names()["keys"])


def _choices(values: Iterable[str]) -> NameSource:
    """Return a source of these values."""
    return lambda _: map(Candidate, values)


def _policies(word: Word) -> Iterator[Candidate]:
    yield Candidate("uniform", "Play all actions with equal probability.")
    yield from _runs(word)


def _experiments(word: Word) -> Iterator[Candidate]:
    yield from _names("experiments")(word)
    yield Candidate("all", "All experiments of the paper.")


def _everything(word: Word) -> Iterator[Candidate]:
    yield from _games(word)
    yield from _names("algorithms", "controllers", "measures", "convex", "sweeps")(word)


def _anything(word: Word) -> Iterator[Candidate]:
    yield from _everything(word)
    yield from _runs(word)


SOURCES: dict[str, NameSource] = {
    "game": _games,
    "games": _games,
    "algorithm": _names("algorithms"),
    "measure": _names("measures"),
    "concept": _choices(CONCEPTS),
    "objective": _choices(OBJECTIVES),
    "iterate": _choices(ITERATES),
    "settings": _settings,
    "vary": _settings,
    "policy": _policies,
    "policies": _policies,
    "run": _runs,
    "sweep file": _names("sweeps"),
    "show name": _anything,
    "overrides": _keys,
    "reproduce names": _experiments,
    "check names": _everything,
    "claims name": _names("claims"),
    "figure games": _games_of_results,
    "table games": _games_of_results,
    "figure methods": _methods_of_results,
    "table methods": _methods_of_results,
}
"""Where values come from, by the name of a parameter, or of a command and its parameter; enumerations need no entry."""
WITH_FILES = {"game", "tune games", "policy", "policies", "run", "sweep file", "show name"}
"""Parameters that are no paths but can be files."""
