"""Policies in files: those written by ``Policy.save`` and ``gamebench export``, and objects in Python files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from gamebench.core.errors import PolicyError, UnknownNameError, brief, nearest
from gamebench.core.plugins import run_file
from gamebench.games.game import Game
from gamebench.policies.policy import Policy, bytes_of_file, mismatch
from gamebench.system.files import parse_json

UNIFORM = "uniform"
"""Name of the uniform policy, the only one that can be given by name."""
_OBJECT = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)", re.DOTALL)


def names_a_file(text: str) -> bool:
    """Return whether a text names a file: the file exists, or the text ends like a file name."""
    is_there = os.path.exists(text)  # noqa: PTH110  (Path.exists fails on long texts)
    return is_there or _OBJECT.fullmatch(text) is not None or Path(text).suffix in (".npz", ".json", ".py", ".csv")


def read_file(game: Game, path: str | os.PathLike[str]) -> Any:
    """Return a policy, or an object to be read as one, from a file.

    ``path`` is a file written by ``Policy.save`` or ``gamebench export``, the folder of a run, or ``file.py:name`` for
    an object in a Python file.
    """
    text = os.fspath(path)
    if (match := _OBJECT.fullmatch(text)) is not None:
        return _object_in(match["file"], match["name"])
    if text.endswith(".py"):
        raise PolicyError(f"Add the name of the object that plays to {text!r}, as in {text}:agent.")
    if os.path.isdir(text):  # noqa: PTH112
        text = _policy_of_run(text)
    elif not names_a_file(text) and nearest(text, [UNIFORM]):
        raise PolicyError(f"There is no policy or file called {brief(text)}; did you mean {UNIFORM!r}?")
    content = bytes_of_file(text)
    if content.lstrip()[:1] == b"{":
        return _read_json(game, content, text)
    if text.endswith(".csv"):
        raise PolicyError(f"{text!r} is a CSV table, such as a run's curve; export the policy with --to open-spiel.")
    return Policy.from_bytes(content, game, text)


def _policy_of_run(folder: str) -> str:
    """Return the path of a run's policy; raise if the folder is not a run or has no policy."""
    path, runs = Path(folder, "policy.npz"), Path(folder, "runs")
    if path.exists():
        return str(path)
    if runs.is_dir():
        raise PolicyError(
            f"{folder!r} is a folder of results; give the path of one of its runs, {runs / 'RUN_ID'}. "
            f"gamebench status {folder} lists them."
        )
    raise PolicyError(f"{folder!r} contains no policy; a finished run keeps its policy in the file policy.npz.")


def _object_in(file: str, name: str) -> Any:
    """Run a Python file and return one of its objects."""
    module = run_file(file, "file of agents")
    own = [known for known in vars(module) if not known.startswith("_")]
    if name not in vars(module):
        raise UnknownNameError(f"object of {file!r}", name, own)
    found = getattr(module, name)
    if isinstance(found, type):
        raise PolicyError(f"{name} in {file!r} is a class; name an instance, such as {name.lower()} = {name}().")
    return found


def exported_run(path: str) -> dict[str, Any]:
    """Return the run that ``gamebench export --to json`` wrote to a file; empty if the file holds no run."""
    data = _parsed(bytes_of_file(path), path)
    return data if isinstance(data, dict) and isinstance(data.get("policy"), list) and "spec" in data else {}


def _parsed(content: bytes, path: str) -> Any:
    try:
        return parse_json(content)
    except ValueError as error:
        raise PolicyError(f"The policy file {path!r} is not valid JSON: {error}.") from error


def _read_json(game: Game, content: bytes, path: str) -> Any:
    """Return the table in a JSON file of ``gamebench export --to open-spiel`` or ``--to json``."""
    data = _parsed(content, path)
    rows = data.get("policy")
    if not isinstance(rows, list) or "spec" not in data:
        return data
    if data.get("fingerprint") != game.fingerprint:
        raise mismatch(str(data.get("game")), str(data.get("fingerprint")), game)
    try:
        return {(row["player"], row["information_state"]): row["policy"] for row in rows}
    except (KeyError, TypeError) as error:
        raise PolicyError(f"The policy in {path!r} is damaged: {brief(error)}.") from error
