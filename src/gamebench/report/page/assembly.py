"""Assembly of the page: one file that contains its style, script and data, and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from gamebench.experiments.store import Store
from gamebench.report.page.payload import command_for, payload_of
from gamebench.report.page.several_folders import names_of

ASSETS = resources.files("gamebench.report.page") / "assets"
SCRIPT, STYLE = "main.js", "main.css"
"""The files that import all the others."""

_IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "\./([\w-]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:function|const|class) (\w+))", re.MULTILINE)
_STYLE_IMPORT = re.compile(r'^@import "\./([\w-]+\.css)";$', re.MULTILINE)


def build_page(
    *stores: Store,
    title: str | None = None,
    output: Path | None = None,
    claims: Sequence[Mapping[str, Any]] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return the whole page as HTML.

    Args:
        stores: One or more folders. Their finished runs are shown, the others counted. A method that differs
            between them has the folder's name appended to its own.
        title: The title of the page (default: the folders' names).
        output: Where the page will be written, if not to ``report.html`` in the folder.
        claims: Tested statements, each with the texts ``name``, ``statement``, ``where``, ``test``, ``measured`` and
            ``verdict`` (``holds``, ``fails`` or ``undecided``). Without claims the page has no such section.
        notes: Sentences for the top of the page.
    """
    folders = [store.folder for store in stores]
    command = command_for(folders, output, title)
    payload = payload_of(*stores, claims=claims, notes=notes, command=command)
    return assemble(title or f"Results in {' and '.join(names_of(folders))}", payload)


def assemble(title: str, payload: dict[str, Any]) -> str:
    """Return the page. Its security policy allows its own style and script, by digest, and forbids everything else."""
    style, script = bundle_styles(ASSETS / "css"), bundle_modules(ASSETS / "js")
    parts = {
        "TITLE": html.escape(title.encode("utf-8", "replace").decode()),  # file names may hold lone surrogates
        "POLICY": f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'",
        "STYLE": style,
        "DATA": embedded(payload),
        "SCRIPT": script,
    }
    template = _text(ASSETS / "template.html")
    return re.sub("@@([A-Z]+)@@", lambda match: parts[match[1]], template)


def bundle_modules(folder: Traversable) -> str:
    """Return the ES modules in a folder as one script: those that ``main.js`` needs, each in a function scope.

    A module may ``import { name, ... } from "./other.js";`` and may ``export`` functions, constants and classes where
    it defines them. It runs once, after all modules that it imports. Any other import or export would be a syntax error
    in the page.
    """
    exports: dict[str, list[str]] = {}
    scopes = []

    def add(name: str) -> None:
        if name in exports:
            return
        source = _text(folder / name)
        for names, imported in _IMPORT.findall(source):
            add(imported)
            for unknown in set(re.findall(r"\w+", names)).difference(exports[imported]):
                raise ValueError(f"{name} imports {unknown} from {imported}, which does not export it.")
        exports[name] = _EXPORT.findall(source)
        body = _EXPORT.sub("", _IMPORT.sub(r'const {\1} = modules["\2"];', source))
        scopes.append(
            f'modules["{name}"] = (() => {{\n{body.strip()}\nreturn {{ {", ".join(exports[name])} }};\n}})();\n'
        )

    add(SCRIPT)
    return '"use strict";\n(() => {\nconst modules = {};\n' + "".join(scopes) + "})();\n"


def bundle_styles(folder: Traversable) -> str:
    """Return ``main.css`` with the style sheets that it imports in place of its imports."""
    return _STYLE_IMPORT.sub(lambda match: _text(folder / match[1]), _text(folder / STYLE))


def embedded(payload: dict[str, Any]) -> str:
    """Return JSON escaped for a script element: no text in it can start a tag or a comment."""
    text = json.dumps(payload, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _text(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
