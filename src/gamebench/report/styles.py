"""The colour, marker and dash of each method, the same in figures and on the page.

The colours are Okabe and Ito's, which colour-blind people can tell apart; markers and dashes tell methods apart without
any colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, GREY, PURPLE = "#E69F00", "#56B4E9", "#7F7F7F", "#9467BD"
BROWN = "#8C564B"
DASHES = ("solid", "dashed", "dotted")


@dataclass(frozen=True)
class Style:
    """How a method is drawn."""

    colour: str
    marker: str
    """The marker in matplotlib's notation."""
    dash: str = "solid"
    """``solid``, ``dashed`` or ``dotted``."""


KNOWN = {
    "CRD": Style(PURPLE, "*"),
    "CMD": Style(BLUE, "o"),
    "CMD(SR)": Style(BLUE, "h", "dotted"),
    "GMD": Style(ORANGE, "s"),
    "MMD-KL": Style(GREEN, "D"),
    "MMD-EU": Style(PINK, "^"),
    "CFR": Style(AMBER, "v"),
    "CFR+": Style(SKY, "P"),
    "GMD(LD)": Style(AMBER, "X", "dashed"),
    "GMD(ISR)": Style(PINK, "*", "dotted"),
    "MD": Style(GREY, "h"),
    "LCFR": Style(AMBER, "<", "dashed"),
    "DCFR": Style(ORANGE, "<", "dashed"),
    "DCFR+": Style(ORANGE, ">", "dotted"),
    "PCFR+": Style(GREEN, "<", "dashed"),
    "SAPCFR+": Style(GREEN, ">", "dotted"),
    "APCFR+": Style(PINK, "<", "dashed"),
    "PDCFR+": Style(BLUE, ">", "dashed"),
    "RTCFR+": Style(SKY, "X", "dotted"),
    "DOMWU": Style(GREY, "d", "dashed"),
    "DOGDA": Style(GREY, "p", "dotted"),
}
_OTHERS = tuple(
    Style(colour, marker, dash)
    for dash in ("dashed", "dotted", "solid")
    for colour, marker in zip((ORANGE, SKY, PINK, AMBER, GREY, GREEN, BLUE), "s^XPvD*", strict=True)
)
"""Styles for methods that have none of their own, in this order."""
_BEST = tuple(
    Style(colour, marker)
    for colour, marker in zip((BLUE, ORANGE, GREEN, PINK, AMBER, SKY, PURPLE, BROWN), "hd^s<>Xp", strict=True)
)
"""Styles, in this order, for methods in colour that lack a colour of their own or whose colour is taken."""
_PAPER = ("CMD", "GMD", "MMD-KL", "MMD-EU", "CFR", "CFR+")
"""Methods that have their own style in every figure."""
_FOLDER = re.compile(r" \[([^\[\]]+)\]$")
"""How a method's name ends in the name of its folder, if several are shown together."""


def styles(methods: Iterable[str], in_colour: Iterable[str] | None = None) -> dict[str, Style]:
    """Return the style of each method, in figures and on the page.

    Methods in colour differ in colour as long as there are colours. If several have the same colour of their own, the
    first keeps it. A method of several folders, ``CMD [A]`` and ``CMD [B]``, differs in the dash alone.

    Args:
        methods: All methods; their order does not matter.
        in_colour: Those that are not grey (default: all).
    """
    every = sorted(dict.fromkeys(methods), key=method_order)
    chosen = {*every} if in_colour is None else {*in_colour}
    plain = {method: _FOLDER.sub("", method) for method in every}
    first = dict.fromkeys(plain[method] for method in every if method in chosen)
    looks = _distinct(list(first), is_grey_taken=len(chosen) < len(every))
    looks |= _others([name for name in dict.fromkeys(plain.values()) if name not in looks], looks.values())
    folders = dict.fromkeys(found[1] for method in every if (found := _FOLDER.search(method)))
    dashes = {folder: DASHES[index % len(DASHES)] for index, folder in enumerate(folders)}
    given: dict[str, Style] = {}
    for method in every:
        found, look = _FOLDER.search(method), looks[plain[method]]
        look = replace(look, dash=dashes[found[1]]) if found else look
        given[method] = next((each for each in (look, *_OTHERS) if each not in given.values()), look)
    return given


def method_order(method: str) -> tuple[int, str, bool, str]:
    """Return a sort key: known algorithms in their order, then others by name; a plain method before its variants."""
    algorithm, known = method.split(" ")[0], list(KNOWN)
    index = known.index(algorithm) if algorithm in known else len(known)
    return index, algorithm, method != algorithm, method


def _distinct(methods: list[str], is_grey_taken: bool) -> dict[str, Style]:
    """Return styles with different colours, for as many of the methods as there are colours."""
    taken = {GREY} if is_grey_taken else set()
    given: dict[str, Style] = {}
    for method in sorted(methods, key=lambda name: name not in _PAPER):
        if method in KNOWN and KNOWN[method].colour not in taken:
            given[method] = KNOWN[method]
            taken.add(KNOWN[method].colour)
    free = [style for style in _BEST if style.colour not in taken]
    for method, style in zip([name for name in methods if name not in given], free, strict=False):
        given[method] = replace(KNOWN[method], colour=style.colour) if method in KNOWN else style
    return given


def _others(methods: list[str], given: Iterable[Style]) -> dict[str, Style]:
    """Return styles for the methods that are left: their own, or the next free ones."""
    used = [*given, *(KNOWN[method] for method in methods if method in KNOWN)]
    colours = {style.colour for style in used}
    free = [style for style in _OTHERS if style not in used] or list(_OTHERS)
    free.sort(key=lambda style: style.colour in colours)  # unused colours come first
    variants = [method for method in methods if method not in KNOWN]
    return {method: free[index % len(free)] for index, method in enumerate(variants)} | {
        method: KNOWN[method] for method in methods if method in KNOWN
    }
