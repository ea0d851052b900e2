"""Load games: from a name, an OpenSpiel game string, a file or an array of payoffs to a :class:`Game`."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np

from gamebench.core.errors import (
    FAILURES,
    FocalError,
    GameBenchError,
    GameError,
    GameFileError,
    GameTooLargeError,
    TeamsError,
    UnknownNameError,
    brief,
    file_errors_as,
    one_line,
    sentence,
    shortened,
)
from gamebench.core.registry import LONGEST_CALL, OpenRegistry, registered_name, split_call
from gamebench.core.settings import checked, whole
from gamebench.games.catalogue import NAMED_GAMES, named_game
from gamebench.games.formats.gambit import canonical_efg, read_nfg
from gamebench.games.formats.writing import efg_text, nfg_text
from gamebench.games.game import Game, Source, renamed
from gamebench.games.loading import cache, openspiel
from gamebench.games.loading.budget import too_large
from gamebench.games.loading.flatten import flatten
from gamebench.games.teams.coordination import SUFFIX
from gamebench.games.transforms import (
    MAX_BELIEFS,
    fixed_opponents,
    with_coordination,
    with_focal,
    with_payoff_scale,
    with_teams,
)
from gamebench.system.files import write_atomically
from gamebench.system.progress import progress_bar, tell

MAX_WRITTEN = 1_000_000
"""Default limit on the histories written to a file: about 100 MB."""
GAME_FILES = (".efg", ".nfg")
"""Suffixes of Gambit files."""
GameMaker: TypeAlias = Callable[..., Any]
"""Function that returns a game, or anything that :func:`load_game` takes."""
OWN_GAMES: OpenRegistry[GameMaker] = OpenRegistry("game")
"""Games registered by users; those with a shorthand are in ``games/catalogue.py``."""
PLUGIN_HINT = "A game from a file of your own needs --plugin FILE.py (in Python: gb.load_plugin)."
"""Hint for unknown games: the plug-in may not be loaded."""


@overload
def register_game(make: GameMaker, /, name: str | None = None) -> GameMaker: ...
@overload
def register_game(*, name: str) -> Callable[[GameMaker], GameMaker]: ...


def register_game(
    make: GameMaker | None = None, /, name: str | None = None
) -> GameMaker | Callable[[GameMaker], GameMaker]:
    """Register your own game under a name that works wherever a game is named; also usable as a decorator.

    Args:
        make: a function that returns a :class:`Game`, or anything that :func:`load_game` takes. Its parameters need
            defaults; other values are given in brackets after the name.
        name: the name of the game; the function's name if not given.

    Examples:
        >>> import gamebench as gb
        >>> @gb.register_game
        ... def pennies(stake=1):
        ...     win, loss = (stake, -stake), (-stake, stake)
        ...     return gb.Game.from_payoffs([[win, loss], [loss, win]])
        >>> gb.load_game("pennies(stake=3)")
        Game('pennies(stake=3)', zero-sum, 2 players, 2 decision points)
    """
    if make is None:
        return partial(register_game, name=name)
    name = registered_name(make, name, "a game")
    if named_game(name) is not None or name in openspiel.registered_games():
        raise GameError(f"There is already a game called {name!r}; choose another name.")
    if re.search(r"[()/\\.]", name):
        raise GameError(f"The name of a game cannot contain brackets, dots or slashes, as {name!r} does.")
    OWN_GAMES.add(name, make, make)
    return make


def load_game(
    game: str | os.PathLike[str] | Any,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    focal: int | None = None,
    others: Any = None,
    payoff_scale: float = 1.0,
    max_histories: int | None = None,
    coordinated: bool = False,
    max_beliefs: int | None = None,
) -> Game:
    """Load a game as arrays.

    Args:
        game: a shorthand, such as ``"Kuhn-A"`` (case does not matter; ``gamebench list`` has all); the name of your own
            game (:func:`register_game`), with parameters in brackets if it has any; an OpenSpiel game string, such as
            ``"leduc_poker(players=3)"``; an OpenSpiel game object (simultaneous games become turn-based); the path of a
            Gambit ``.efg`` or ``.nfg`` file; or the payoffs of a normal-form game, an array or nested list of shape
            ``(A_1, ..., A_N, N)`` (:meth:`Game.from_payoffs` also names the actions and the players). A shorthand takes
            precedence over OpenSpiel's game of the same name; ``"bargaining()"`` is OpenSpiel's.
        teams: a partition of the players, such as ``[[0, 1], [2]]``; members of a team receive its mean payoff.
        focal: the only player who chooses; all others follow a fixed policy, which makes the game a single-agent game.
            With teams, the focal player receives its team's payoff.
        others: the policy of the other players for the full game, as :func:`evaluate` takes it; uniform if not given.
        payoff_scale: a factor by which every payoff is multiplied.
        max_histories: the size budget; games with more histories are refused. By default, a game is refused if loading
            it would take more than half of the free memory.
        coordinated: whether members of a team agree on plans before the game; the players are then the teams'
            coordinators (:func:`with_coordination`).
        max_beliefs: the size budget of coordinators, 1,000,000 if not given; larger games are refused.

    Examples:
        >>> import gamebench as gb
        >>> gb.load_game("Kuhn")
        Game('Kuhn', zero-sum, 3 players, 48 decision points)
        >>> gb.load_game("leduc_poker", focal=1)
        Game('leduc_poker [focal 1]', single-agent, 1 player, 468 decision points)
        >>> gb.load_game([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])  # matching pennies
        Game('payoffs', zero-sum, 2 players, 2 decision points)

    References:
        M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", arXiv:1908.09453, 2019.
    """
    if not isinstance(game, str | os.PathLike | list | np.ndarray) and not openspiel.is_game(game):
        if isinstance(game, Game):
            raise GameError(
                f"{game.name!r} is already loaded; with_teams(), with_focal(), with_payoff_scale() and "
                f"with_coordination() derive other games from it."
            )
        raise GameError(
            f"A game is given by its name, an OpenSpiel string, a file or an array of payoffs, not by "
            f"{type(game).__name__}."
        )
    if max_histories is not None:
        max_histories = checked("max_histories", max_histories, whole(1), GameError)
    known = named_game(game) if isinstance(game, str) else None
    if known is not None and known.coordinated:
        game, coordinated = known.shorthand.removesuffix(SUFFIX), True
    if others is not None and focal is None:
        raise FocalError("others= is the policy of all players but the focal one, so it needs focal=.")
    if not isinstance(coordinated, bool):
        raise TeamsError(f"coordinated must be True or False, not {brief(coordinated)}.")
    if coordinated and focal is not None:
        raise FocalError(
            "focal= singles out a player, but with coordinated= the players are teams; use only one of the two."
        )
    if max_beliefs is not None and not coordinated:
        raise TeamsError("max_beliefs= is the budget of coordinators, so it needs coordinated=True (--coordinated).")
    if openspiel.is_game(game):
        plain = _load_object(game, max_histories)
    elif isinstance(game, list | np.ndarray):
        payoffs = Game.from_payoffs(game)
        plain = _within_budget(payoffs, payoffs.name, max_histories)
    else:
        plain = _load_named(os.fspath(game), max_histories)
    loaded = plain if teams is None else with_teams(plain, teams)
    if focal is not None:
        loaded = with_focal(loaded, focal, fixed_opponents(plain, others, focal))
    scaled = with_payoff_scale(loaded, payoff_scale)
    return with_coordination(scaled, MAX_BELIEFS if max_beliefs is None else max_beliefs) if coordinated else scaled


def save_game(game: Game | Any, path: str | os.PathLike[str], *, max_histories: int = MAX_WRITTEN) -> None:
    """Write a game to a Gambit file, which :func:`load_game` and Gambit read as the same game.

    The file keeps information sets, teams' mean payoffs, scaled payoffs, the names of players, actions and information
    sets, and the title and comment of a Gambit file, but not the names of its nodes and outcomes. Simultaneous moves
    are written one after the other, hidden from the other players, and the fixed opponents of a focal player become
    chance. Rational payoffs and probabilities are written as fractions (1/6), so that Gambit computes with the exact
    numbers.

    Args:
        game: a game, or anything that :func:`load_game` takes, but not a game between coordinators.
        path: a file whose name ends in ``.efg``, or in ``.nfg`` if every player of the game decides only once.
        max_histories: the size budget; games with more histories are refused.

    Examples:
        >>> import gamebench as gb
        >>> gb.save_game("kuhn_poker", "kuhn.efg")
        >>> gb.load_game("kuhn.efg")
        Game('kuhn.efg', zero-sum, 2 players, 12 decision points)

    References:
        R. Savani and T. L. Turocy, "Gambit: The package for computation in game theory", gambit-project.org.
    """
    max_histories = checked("max_histories", max_histories, whole(1), GameError)
    where = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
    suffix = Path(where).suffix.lower()
    if suffix not in GAME_FILES:
        raise GameFileError(f"The name of a game file must end in .efg or .nfg; got {brief(where or path)}.")
    refuse_own_file(game, where)
    loaded = game if isinstance(game, Game) else load_game(game)
    if suffix == ".nfg":
        text = nfg_text(loaded, max_histories)
    else:
        with progress_bar(f"Writing {loaded.name}") as progress:
            text = efg_text(loaded, max_histories, progress)
    with file_errors_as(GameFileError, f"The game cannot be written to {where!r}"):
        write_atomically(Path(where), text.encode())


def refuse_own_file(game: object, path: str | os.PathLike[str]) -> None:
    """Raise if a game would be written to the file that it is read from, even by another path or a link."""
    if not isinstance(game, str | os.PathLike) or Path(game).suffix.lower() not in GAME_FILES:
        return
    try:
        is_same = Path(game).samefile(path)
    except (OSError, ValueError):  # one of the files does not exist
        return
    if is_same:
        raise GameFileError(f"{os.fspath(path)!r} is the file that the game is read from; write to another file.")


def _load_named(text: str, max_histories: int | None) -> Game:
    """Load the game of a shorthand, a registered name, a file or an OpenSpiel game string."""
    if len(text) > LONGEST_CALL:
        raise GameError(f"The game {shortened(text)} has {len(text):,} characters, more than {LONGEST_CALL:,}.")
    suffix = Path(text).suffix.lower()
    entry = named_game(text)
    if entry is not None:
        game = _flatten(Source("open_spiel", entry.open_spiel), entry.shorthand, max_histories)
        game = game if entry.teams is None else with_teams(game, entry.teams)
        game = game if entry.focal is None else with_focal(game, entry.focal)
        return renamed(game, name=entry.shorthand, declared_category=entry.category)
    if text.partition("(")[0].strip() in OWN_GAMES:
        return _make_own(text, max_histories)
    if suffix == ".nfg":
        return read_nfg(_read_text(text), Path(text).name, max_histories)
    if suffix == ".efg":
        name = Path(text).name
        source, players = canonical_efg(_read_text(text), name)
        return renamed(_flatten(source, name, max_histories), player_names=players)
    if os.path.isfile(text):  # noqa: PTH113  (Path.is_file fails on long texts)
        raise GameFileError(f"{text!r} is a file, but its name does not end in .efg or .nfg.")
    text = openspiel.with_right_types(text)
    return _flatten(Source("open_spiel", text), text, max_histories)


def _load_object(original: Any, max_histories: int | None) -> Game:
    """Load an OpenSpiel game object; if its string reproduces it exactly, load that, so that it can be cached."""
    text = openspiel.string_of(original)
    if text is not None:
        return _flatten(Source("open_spiel", text), text, max_histories)
    normal_form = openspiel.payoffs_and_strategies(original)
    if normal_form is None:
        return _flatten(Source("object", str(original), original=original), str(original), max_histories)
    payoffs, strategies = normal_form
    return _within_budget(Game.from_payoffs(payoffs, str(original), strategies), str(original), max_histories)


def _within_budget(game: Game, name: str, max_histories: int | None) -> Game:
    if max_histories is not None and game.num_histories > max_histories:
        raise too_large(name, game.num_histories, max_histories)
    return game


def _make_own(text: str, max_histories: int | None) -> Game:
    """Return the game that a user's function makes with the parameters in ``text``."""
    try:
        name, parameters = split_call(text)
    except ValueError as error:
        raise GameError(f"The game {error}.") from error
    make, spelling = OWN_GAMES[name], OWN_GAMES.spelling(name)
    try:
        bound = inspect.signature(make).bind(**parameters)
    except TypeError as error:
        raise GameError(f"The game {name!r} cannot be made with these parameters: {one_line(error)}.") from error
    try:
        made = make(**parameters)
        if made is None:
            raise GameError(f"The function that makes the game {text!r} returns nothing.")
        game = made if isinstance(made, Game) else load_game(made, max_histories=max_histories)
    except GameBenchError:
        raise
    except FAILURES as error:  # a user's function may raise anything
        raise GameError(f"The game {text!r} cannot be made: {sentence(error)}") from error
    # The name lists the parameters that differ from their defaults, in the order of the signature.
    defaults = {key: parameter.default for key, parameter in bound.signature.parameters.items()}
    given = [f"{key}={value!r}" for key, value in bound.arguments.items() if value != defaults[key]]
    name = f"{spelling}({', '.join(given)})" if given else spelling
    return renamed(_within_budget(game, text, max_histories), name=name)


def _read_text(path: str) -> str:
    with file_errors_as(GameFileError, f"The game file {path!r} cannot be read"):
        return Path(path).read_text(encoding="utf-8")


def _flatten(source: Source, name: str, max_histories: int | None) -> Game:
    """Return the game of a source, from the cache or by walking its tree."""
    try:
        original = openspiel.original_game(source)
    except UnknownNameError as error:
        known = [*OWN_GAMES, *NAMED_GAMES, *openspiel.registered_games()]
        raise UnknownNameError("game", source.text.split("(")[0].strip(), known, PLUGIN_HINT) from error
    except GameFileError as error:
        raise GameFileError(f"{name!r} cannot be read: {error}") from error
    view = openspiel.with_information_states(original, name)
    path = cache.path_of(openspiel.ingredients(original, source))
    game = cache.read(path, name, source)
    if game is None:
        try:
            with progress_bar(f"Walking {name}") as progress:
                game = flatten(view, name, source, max_histories, progress, tell=tell)
            cache.write(path, game)
        except MemoryError as error:
            raise GameTooLargeError(
                f"Not enough memory to load {name!r}; close other programs or choose smaller parameters."
            ) from error
        game = cache.read(path, name, source) or game  # the same game, but a large one is now mapped from its file
    return _within_budget(game, name, max_histories)
