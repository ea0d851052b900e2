"""Cache of flattened games on disk, so that each tree is walked once per machine.

The environment variable ``GAMEBENCH_CACHE`` names another folder, or is ``off``. A file is used only if its key, its
checksum and the invariants of its arrays are valid; otherwise it is removed and rebuilt. A large file is mapped into
memory: loading takes only as long as checking the file, and only the parts in use take memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from pathlib import Path

from platformdirs import user_cache_path

from gamebench.games.game import Game, Source
from gamebench.games.labels import Labels, Numbers, RepeatedTexts, Texts
from gamebench.games.sequence_form import SequenceForm, adopt
from gamebench.system.files import DamagedFileError, is_shortage, remove, remove_leftovers
from gamebench.system.mapped_arrays import give_back, load_mapped, save_mapped

VARIABLE = "GAMEBENCH_CACHE"
FORMAT = 2
"""Part of every key; increase it when the walk or the meaning of the arrays changes, so that old files are ignored."""
SUFFIX = ".game"
"""Suffix of the files; archives of other results about a game end with ``.npz``."""
_TEXTS = ("information_states", "action_names")


def cache_folder() -> Path | None:
    """Return the folder of the cache, or ``None`` if the cache is switched off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() in ("off", "0", "false", "none"):
        return None
    if not chosen:
        return user_cache_path("gamebench") / "games"
    try:
        return Path(chosen).expanduser()
    except RuntimeError:  # it begins with ~ and the name of an unknown user
        return Path(chosen)


def path_of(ingredients: list[str] | None, suffix: str = SUFFIX) -> Path | None:
    """Return the file of a key with these parts; ``None`` if they are unknown or the cache is switched off."""
    folder = cache_folder()
    if folder is None or ingredients is None:
        return None
    return folder / f"{hashlib.sha256(json.dumps([FORMAT, *ingredients]).encode()).hexdigest()}{suffix}"


def read(path: Path | None, name: str, source: Source) -> Game | None:
    """Return the game stored in a file, or ``None`` if the file does not exist or is not valid."""
    if path is None:
        return None
    try:
        metadata, arrays = load_mapped(path)
        if metadata.pop("key") != path.stem:
            raise DamagedFileError(f"{path} is the file of another game")
        fingerprint = metadata.pop("fingerprint")
        states, actions = (Texts(arrays.pop(f"{name} buffer"), arrays.pop(f"{name} starts")) for name in _TEXTS)
        states.check()
        labels = Labels(states, RepeatedTexts(actions, arrays.pop("action_codes")), Numbers(arrays.pop("action_ids")))
        game = Game(name=name, sequence_form=adopt(SequenceForm(**arrays)), labels=labels, source=source, **metadata)
        game.__dict__["fingerprint"] = fingerprint
        give_back(*game.sequence_form.arrays().values(), states.buffer, states.starts)
        return game
    except FileNotFoundError:
        return None
    except Exception as error:  # whatever is wrong with the file, the game can be rebuilt
        if not is_shortage(error):  # otherwise the file may be sound, and mapped by another process
            remove(path)
        return None


def write(path: Path | None, game: Game) -> None:
    """Store ``game`` in a file; warn if the folder cannot be written.

    A file that another process has written in the meantime is kept: it is the same, and it may be mapped.
    """
    if path is None:
        return
    metadata = {
        "key": path.stem,
        "num_histories": game.num_histories,
        "num_terminals": game.num_terminals,
        "max_abs_payoff": game.max_abs_payoff,
        "fingerprint": game.fingerprint,
    }
    states, actions, ids = game.labels.information_states, game.labels.actions, game.labels.action_ids
    assert isinstance(states, Texts) and isinstance(actions, RepeatedTexts) and isinstance(ids, Numbers)  # noqa: PT018
    arrays = {**game.sequence_form.arrays(), "action_codes": actions.codes, "action_ids": ids.array}
    for name, texts in zip(_TEXTS, (states, Texts.of(actions.table)), strict=True):
        arrays |= {f"{name} buffer": texts.buffer, f"{name} starts": texts.starts}
    try:
        if path.exists() and read(path, game.name, game.source) is not None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path.parent)
        save_mapped(path, metadata, arrays)
    except (OSError, RuntimeError) as error:  # RuntimeError if no thread can be started
        why = getattr(error, "strerror", None) or error
        warnings.warn(
            f"The game cache {path.parent} cannot be written ({why}), so {game.name!r} is "
            f"rebuilt each time; set {VARIABLE} to another folder, or to 'off' to silence this.",
            RuntimeWarning,
            stacklevel=2,
        )
