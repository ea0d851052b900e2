"""Names and a few facts that come with the package, so that ``list`` and tab completion need not load anything.

``known_names.json`` is written by ``python -m tools.known_names`` from the registries; a test compares the two. It
contains nothing that users register.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def known_names() -> dict[str, Any]:
    """Return all names by kind, with their descriptions, and the rows of ``gamebench list games``."""
    known: dict[str, Any] = json.loads(resources.files("gamebench.cli").joinpath("known_names.json").read_text("utf-8"))
    return known
