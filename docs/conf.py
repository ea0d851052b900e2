"""Sphinx configuration."""

import re

from sphinx.application import Sphinx

import gamebench

project = "GameBench"
author = "The GameBench developers"
copyright = "2026, the GameBench developers"  # noqa: A001  (Sphinx's name for it)

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx-mathjax-offline"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks show their stored outputs; tests/test_notebooks.py runs them
html_theme = "furo"
html_title = "GameBench"
html_static_path = ["_static"]
html_css_files = ["gamebench.css"]
html_js_files = ["figures.js"]
exclude_patterns = ["_build"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_type_aliases = {"FloatArray": "FloatArray", "IntArray": "IntArray"}
nitpicky = False


def setup(app: Sphinx) -> None:
    """Let pages show the public classes that are registered: ``.. registered:: gamebench.algorithms.ALGORITHMS``."""
    app.connect("source-read", show_registered)


def show_registered(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Replace each such line of a page, the only item of ``source``, by a directive for each class."""

    def directives(found: re.Match[str]) -> str:
        home = getattr(gamebench, found[1])
        classes = [cls.__name__ for cls in getattr(home, found[2]).values()]
        return "\n".join(f".. autoclass:: gamebench.{found[1]}.{name}" for name in classes if hasattr(home, name))

    source[0] = re.sub(r"^\.\. registered:: gamebench\.(\w+)\.(\w+)$", directives, source[0], flags=re.MULTILINE)
