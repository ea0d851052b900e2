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


def cache_key(ingredients: list[str]) -> str:
    """Return a digest of everything that determines the flattened game."""
    return hashlib.sha256(json.dumps([FORMAT, *ingredients]).encode()).hexdigest()


def read(key: str, name: str, source: Source) -> Game | None:
    """Return the game stored under ``key``, or ``None`` if there is no valid one."""
    folder = cache_folder()
    if folder is None:
        return None
    path = folder / f"{key}.npz"
    try:
        metadata, arrays = load_arrays(path)
        if metadata.pop("key") != key:
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


def write(key: str, game: Game) -> None:
    """Store ``game`` under ``key``; warn if the folder cannot be written."""
    folder = cache_folder()
    if folder is None:
        return
    actions, action_names = np.unique(np.array(game.labels.actions), return_inverse=True)
    metadata = {
        "key": key,
        "num_histories": game.num_histories,
        "num_terminals": game.num_terminals,
        "max_abs_payoff": game.max_abs_payoff,
        "actions": actions.tolist(),
    }
    arrays = {
        **game.tree._asdict(),
        "information_states": np.frombuffer(json.dumps(game.labels.information_states).encode(), dtype=np.uint8),
        "action_names": action_names,
        "action_ids": np.array(game.labels.action_ids, dtype=np.int64),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_arrays(folder / f"{key}.npz", metadata, arrays)
    except OSError as error:
        warnings.warn(
            f"The game cache {folder} cannot be written ({error.strerror or error}), so {game.name!r} is flattened "
            f"anew each time; set {VARIABLE} to another folder, or to 'off' to silence this.",
            RuntimeWarning,
            stacklevel=2,
        )


def repair(folder: Path) -> Repair:
    """Remove damaged files of this cache from ``folder``; other files there are not touched."""
    return remove_damaged((path for path in folder.glob("*.npz") if _KEY.fullmatch(path.stem)), load_arrays)
