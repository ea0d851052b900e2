"""Colours and markers: a method looks the same in every figure and on every page.

The colours are Okabe and Ito's, which colour-blind people can tell apart; markers and dashes tell methods apart without
any colour.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, GREY = "#E69F00", "#56B4E9", "#7F7F7F"


@dataclass(frozen=True)
class Style:
    """How a method is drawn."""

    colour: str
    marker: str
    """The marker in matplotlib's notation."""
    dash: str = "solid"
    """``solid``, ``dashed`` or ``dotted``."""


KNOWN = {
    "CMD": Style(BLUE, "o"),
    "GMD": Style(ORANGE, "s"),
    "MMD-KL": Style(GREEN, "D"),
    "MMD-EU": Style(PINK, "^"),
    "CFR": Style(AMBER, "v"),
    "CFR+": Style(SKY, "P"),
    "GMD(LD)": Style(AMBER, "X", "dashed"),
    "GMD(ISR)": Style(PINK, "*", "dotted"),
    "MD": Style(GREY, "h"),
}
_OTHERS = tuple(
    Style(colour, marker, dash)
    for dash in ("dashed", "dotted", "solid")
    for colour, marker in zip((ORANGE, SKY, PINK, AMBER, GREY, GREEN, BLUE), "s^XPvD*", strict=True)
)
"""Styles for methods that have none of their own, in this order."""


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """Return the style of each method: its own, or the next free one."""
    unique = dict.fromkeys(methods)
    colours = {KNOWN[method].colour for method in unique if method in KNOWN}
    free = sorted(_OTHERS, key=lambda style: style.colour in colours)  # unused colours come first
    variants = [method for method in unique if method not in KNOWN]
    given = {method: free[index % len(free)] for index, method in enumerate(variants)}
    return {method: KNOWN.get(method) or given[method] for method in unique}
