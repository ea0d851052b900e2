"""Cache of flattened games on disk, so that each tree is walked once per machine.

The environment variable ``GAMEBENCH_CACHE`` is another folder, or ``off``. A file is used only if its key, its checksum
and the invariants of its arrays are valid; otherwise it is removed and rebuilt.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from gamebench.files import Repair, load_arrays, remove, remove_damaged, save_arrays
from gamebench.games.game import Game, Labels, Source
from gamebench.games.tree import Tree

VARIABLE = "GAMEBENCH_CACHE"
FORMAT = 1
"""Part of every key: raise it when the walk or the meaning of the arrays changes, and old files are ignored."""
_KEY = re.compile("[0-9a-f]{64}")


def cache_folder() -> Path | None:
    """Return the folder of the cache, or ``None`` if the cache is switched off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() in ("off", "0", "false", "none"):
        return None
    return Path(chosen).expanduser() if chosen else user_cache_path("gamebench") / "games"


def path_of(ingredients: list[str] | None) -> Path | None:
    """Return the file of the game that ``ingredients`` determine; ``None`` if they are unknown or there is no cache."""
    folder = cache_folder()
    if folder is None or ingredients is None:
        return None
    return folder / f"{hashlib.sha256(json.dumps([FORMAT, *ingredients]).encode()).hexdigest()}.npz"


def read(path: Path | None, name: str, source: Source) -> Game | None:
    """Return the game stored in a file, or ``None`` if the file does not exist or is not valid."""
    if path is None:
        return None
    try:
        metadata, arrays = load_arrays(path)
        if metadata.pop("key") != path.stem:
            return None
        states, actions = json.loads(arrays.pop("information_states").tobytes()), metadata.pop("actions")
        names = [actions[index] for index in arrays.pop("action_names").tolist()]
        labels = Labels(tuple(states), tuple(names), tuple(arrays.pop("action_ids").tolist()))
        return Game(name=name, tree=Tree(**arrays), labels=labels, source=source, **metadata)
    except FileNotFoundError:
        return None
    except Exception:  # whatever is wrong with the file, the game can be rebuilt
        remove(path)
        return None


def write(path: Path | None, game: Game) -> None:
    """Store ``game`` in a file; warn if the folder cannot be written."""
    if path is None:
        return
    actions, action_names = np.unique(np.array(game.labels.actions), return_inverse=True)
    metadata = {
        "key": path.stem,
        "num_histories": game.num_histories,
        "num_terminals": game.num_terminals,
        "max_abs_payoff": game.max_abs_payoff,
        "actions": actions.tolist(),
    }
    arrays = {
        **game.tree.arrays(),
        "information_states": np.frombuffer(json.dumps(game.labels.information_states).encode(), dtype=np.uint8),
        "action_names": action_names,
        "action_ids": np.array(game.labels.action_ids, dtype=np.int64),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_arrays(path, metadata, arrays)
    except OSError as error:
        warnings.warn(
            f"The game cache {path.parent} cannot be written ({error.strerror or error}), so {game.name!r} is "
            f"flattened anew each time; set {VARIABLE} to another folder, or to 'off' to silence this.",
            RuntimeWarning,
            stacklevel=2,
        )


def repair(folder: Path) -> Repair:
    """Remove damaged files of this cache from ``folder``; other files there are not touched."""
    return remove_damaged((path for path in folder.glob("*.npz") if _KEY.fullmatch(path.stem)), load_arrays)
