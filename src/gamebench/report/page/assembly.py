"""One file out of many: the template with its style, its script and its data inside, and nothing to load."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib import resources
from typing import Any

STYLES = ("style.css", "charts.css", "tables.css", "media.css")
SCRIPTS = (
    "base.js",
    "numbers.js",
    "state.js",
    "scales.js",
    "marks.js",
    "chart.js",
    "controls.js",
    "summary.js",
    "table.js",
    "scores.js",
    "profiles.js",
    "aggregates.js",
    "alpha.js",
    "explorer.js",
    "claims.js",
    "provenance.js",
    "main.js",
)
"""In the order in which they need each other; they share one scope."""


def assemble(title: str, payload: dict[str, Any]) -> str:
    """The page. Its policy lets this style and this script run, by their digests, and forbids everything else."""
    style, script = "\n".join(map(_asset, STYLES)), _script()
    parts = {
        "TITLE": html.escape(_sound(title)),
        "POLICY": f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'",
        "STYLE": style,
        "DATA": embedded(payload),
        "SCRIPT": script,
    }
    page = _asset("template.html")
    pieces = page.split("@@")  # every second one is the name of a part
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def embedded(payload: dict[str, Any]) -> str:
    """JSON that no text in it can break out of: the parser of HTML sees neither a tag nor a comment begin."""
    text = json.dumps(payload, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script() -> str:
    return '"use strict";\n(() => {\n' + "\n".join(_asset(name) for name in SCRIPTS) + "\n})();\n"


def _asset(name: str) -> str:
    return resources.files("gamebench.report.page").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _sound(text: str) -> str:
    """Without halves of characters, which names of files may have and UTF-8 does not."""
    return text.encode("utf-8", "replace").decode("utf-8")
