"""``gb.draw``: a small game tree as SVG, with a policy on it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import GameBenchError, GameTooLargeError, file_errors_as
from gamebench.core.settings import checked, whole
from gamebench.games.game import Game
from gamebench.games.histories import CHANCE, TERMINAL
from gamebench.games.names import as_game
from gamebench.policies.sources import policy_for
from gamebench.report.tree_layout import (
    FORK,
    LEAF,
    LETTER,
    MARGIN,
    NODE_HEIGHT,
    SMALL_LETTER,
    Column,
    Node,
    joints_of,
    nodes_of,
    place_columns,
    place_lines,
)
from gamebench.system.files import write_atomically

MAX_HISTORIES = 500
"""Default maximum number of histories."""
LONGEST_STATE, LONGEST_ACTION = 12, 24
"""Maximum length of an information state on its node, and of a move's name; tooltips show them in full."""
LEAST_SHOWN = 1e-3
"""Smaller probabilities are drawn as ``<0.001``."""
COLOURS = ("#0072b2", "#b34f00", "#00785a", "#a04e7d", "#7a6000", "#4b4ba8")
"""Colours of the players: dark enough behind white letters, light enough for lines on black."""
CHANCE_COLOUR = "#767676"
CHANCE_SIZE = 12.0
TITLE_LETTER = 8.5
"""Width of a letter of the title."""
STYLE = """
.gb-tree text { font: 11px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1b1b1b }
.gb-tree .paper { fill: #ffffff } .gb-tree .title { font-size: 14px; font-weight: 600 }
.gb-tree .small { font-size: 10px; fill: #5f5f5f } .gb-tree .chance { font-weight: 600 }
.gb-tree .box text { fill: #ffffff; font-weight: 600 } .gb-tree path { fill: none }
.gb-tree .never { opacity: 0.4 }
@media (prefers-color-scheme: dark) {
.gb-tree text { fill: #e8e8e8 } .gb-tree .paper { fill: #16181c } .gb-tree .small { fill: #a8a8a8 }
.gb-tree path { filter: brightness(1.35) }
}"""


@dataclass(frozen=True)
class TreeDrawing:
    """Drawing of a game tree: notebooks show it, ``save`` writes it to a file, and ``str`` is its SVG.

    Examples:
        >>> import gamebench as gb
        >>> drawing = gb.draw("kuhn_poker")
        >>> drawing
        TreeDrawing('kuhn_poker', 58 histories)
        >>> str(drawing)[:4]
        '<svg'
    """

    name: str
    """Name of the game."""
    num_histories: int
    svg: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to a file whose name ends with ``.svg``."""
        if Path(path).suffix.lower() != ".svg":
            raise GameBenchError(
                f"Trees are drawn as SVG only: the file's name must end with .svg, not {os.fspath(path)!r}."
            )
        with file_errors_as(GameBenchError, f"The drawing cannot be written to {os.fspath(path)!r}"):
            write_atomically(Path(path), self.svg.encode())

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"TreeDrawing({self.name!r}, {self.num_histories} histories)"


def draw(game: Game | str | Any, policy: Any = None, *, max_histories: int = MAX_HISTORIES) -> TreeDrawing:
    """Draw the tree of a small game, with a policy's probabilities on it.

    A node is a history: a box with its information state in its player's colour, or a grey circle for chance. Dashed
    lines join the histories of an information set at the same depth. With a policy, likelier moves have thicker lines,
    the number below a node is the probability of reaching it, and nodes that are never reached are pale.

    Args:
        game: a game, or anything that :func:`load_game` takes. In a focal game the other players count as chance.
        policy: a policy, as :func:`evaluate` takes it; only the tree is drawn if not given.
        max_histories: the largest tree that is drawn.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> gb.draw(game, gb.solve(game, "CFR+", 100).policy).save("kuhn.svg")
    """
    game = as_game(game)
    limit = checked("max_histories", max_histories, whole(1))
    if game.num_histories > limit and game.coordination is None:  # coordinated games have no tree; nodes_of raises
        raise GameTooLargeError(
            f"{game.name!r} has {game.num_histories:,} histories; a drawing of more than {limit:,} is hard to read, so "
            f"draw a smaller game, such as kuhn_poker, or raise max_histories= (--max-histories)."
        )
    probabilities = None if policy is None else policy_for(game, policy).probabilities
    nodes = nodes_of(game, probabilities)
    height = place_lines(nodes)
    columns = [
        _column([node for node in nodes if node.history.depth == depth], probabilities)
        for depth in range(1 + max(node.history.depth for node in nodes))
    ]
    entries = _legend(game, nodes, policy is not None)
    legend = sum(_entry_width(text) for text, _ in entries)
    width = max(place_columns(columns), 2 * MARGIN + legend, 2 * MARGIN + TITLE_LETTER * len(game.name))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gb-tree" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="Game tree of {_quoted(game.name)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
        *_head(game.name, entries),
        *(part for column in columns for part in _joints(column)),
        *(part for node in nodes if node.parent is not None for part in _edge(node, columns, probabilities)),
        *(part for node in nodes for part in _node(game, node, policy is not None)),
        "</svg>",
    ]
    return TreeDrawing(game.name, len(nodes), "\n".join(parts))


def _column(nodes: list[Node], policy: FloatArray | None) -> Column:
    """Return the column of all nodes of a depth, with the widths of its texts."""
    boxes = [_box_width(node) for node in nodes]
    labels = [len(_label(node, policy)) for node in nodes if node.parent is not None]
    payoffs = [len(_payoffs(node)) * LETTER + 8 for node in nodes if node.history.player == TERMINAL]
    reach = 0.0 if policy is None else 7 * SMALL_LETTER + 6
    return Column(
        nodes=nodes,
        half=max(boxes) / 2,
        labels=max(labels, default=0) * LETTER + 10,
        payoffs=max(payoffs) + reach if payoffs else 0.0,
        joints=list(joints_of(nodes)),
    )


def _box_width(node: Node) -> float:
    if node.history.player == TERMINAL:
        return LEAF
    return CHANCE_SIZE if node.history.player == CHANCE else max(NODE_HEIGHT + 4, len(_state(node)) * LETTER + 12)


def _state(node: Node) -> str:
    """Return the text on a node: its information state, or the number of its decision point if that is too long."""
    point = node.history.point
    assert point is not None
    state = point.information_state
    return state if 0 < len(state) <= LONGEST_STATE and state.isprintable() else f"#{point.index}"


def _label(node: Node, policy: FloatArray | None) -> str:
    """Return the name of the move that leads to a node, and its probability."""
    return " ".join(filter(None, (_move(node), _chance_of(node, policy))))


def _move(node: Node) -> str:
    assert node.parent is not None
    name = " ".join(node.parent.history.actions[node.move].split())
    return name if len(name) <= LONGEST_ACTION else f"{name[: LONGEST_ACTION - 1]}…"


def _chance_of(node: Node, policy: FloatArray | None) -> str:
    assert node.parent is not None
    chance = node.probability(policy)
    if chance is None:
        return ""
    return _probability(chance) if node.parent.history.player >= 0 else _fraction(chance)


def _probability(chance: float) -> str:
    """Return a player's probability with three digits; tooltips have all digits of very small ones."""
    return "<0.001" if 0.0 < chance < LEAST_SHOWN else f"{chance:.3g}"


def _fraction(chance: float) -> str:
    """Return a chance probability as a simple fraction if it is one, and as a decimal number otherwise."""
    simple = Fraction(chance).limit_denominator(1000)
    return str(simple) if abs(float(simple) - chance) < 1e-12 else f"{chance:.4g}"


def _payoffs(node: Node) -> str:
    return ", ".join(f"{payoff:.6g}" for payoff in node.history.payoffs)


def _colour(player: int) -> str:
    return CHANCE_COLOUR if player == CHANCE else COLOURS[player % len(COLOURS)]


def _quoted(text: str) -> str:
    """Return a text escaped for XML, without the control characters that XML forbids."""
    return escape("".join(letter if letter.isprintable() or letter in "\n\t" else " " for letter in text))


def _legend(game: Game, nodes: Sequence[Node], has_policy: bool) -> list[tuple[str, int | None]]:
    """Return the legend's entries: players, chance, and the meaning of small numbers."""
    entries: list[tuple[str, int | None]] = [(game.player_name(player), player) for player in range(game.num_players)]
    if any(node.history.player == CHANCE for node in nodes):
        entries.append(("chance" if game.focus is None else "chance and fixed players", CHANCE))
    return [*entries, ("grey numbers: probability of reaching the node", None)] if has_policy else entries


def _entry_width(text: str) -> float:
    return 34 + len(text) * LETTER


def _head(name: str, entries: Sequence[tuple[str, int | None]]) -> Iterator[str]:
    """Yield the title and the legend."""
    yield f'<text class="title" x="{MARGIN}" y="22">{_quoted(name)}</text>'
    x = MARGIN
    for text, player in entries:
        if player is None:
            yield f'<text class="small" x="{x:.1f}" y="42">{_quoted(text)}</text>'
        else:
            yield _shape(player, x + 8, 38, 16, 12)
            yield f'<text x="{x + 21:.1f}" y="42">{_quoted(text)}</text>'
        x += _entry_width(text)


def _shape(player: int, x: float, y: float, width: float, height: float) -> str:
    """Return the outline of a node: round, angular or bevelled boxes for players, and a circle for chance."""
    colour = _colour(player)
    if player == CHANCE:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{height / 2:.1f}" fill="{colour}"/>'
    left, top = x - width / 2, y - height / 2
    if player % 3 < 2:
        corner = height / 2 if player % 3 == 0 else 1.5
        box = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
        return f'<rect {box} rx="{corner:.1f}" fill="{colour}"/>'
    cut, right, bottom = height / 3, left + width, top + height
    corners = [
        (left + cut, top),
        (right - cut, top),
        (right, y),
        (right - cut, bottom),
        (left + cut, bottom),
        (left, y),
    ]
    return f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}" fill="{colour}"/>'


def _joints(column: Column) -> Iterator[str]:
    """Yield the dashed lines of the information sets of a column."""
    for one, other, lane in column.joints:
        point = one.history.point
        assert point is not None
        x, bend = one.x - column.half - column.lane_at(lane), NODE_HEIGHT / 2
        begin, end = one.y + bend - 3, other.y - bend + 3
        half = _box_width(one) / 2 - 4
        path = f"M{one.x - half:.1f} {begin:.1f} Q{x:.1f} {begin:.1f} {x:.1f} {begin + 8:.1f} V{end - 8:.1f} "
        path += f"Q{x:.1f} {end:.1f} {other.x - half:.1f} {end:.1f}"
        dashes = 'stroke-width="1.2" stroke-dasharray="3 3" opacity="0.75"'
        yield f'<path class="joint" data-point="{point.index}" d="{path}" stroke="{_colour(point.player)}" {dashes}/>'


def _edge(node: Node, columns: Sequence[Column], policy: FloatArray | None) -> Iterator[str]:
    """Yield the line that leads to a node, with the name of the move and its probability above it."""
    parent, chance = node.parent, node.probability(policy)
    assert parent is not None
    begin = parent.x + _box_width(parent) / 2
    bend = parent.x + columns[parent.history.depth].half + FORK
    end = node.x - _box_width(node) / 2
    thick = 1.4 if chance is None or parent.history.player < 0 else 0.8 + 3.2 * chance
    never = ' class="never"' if node.reach == 0 else ""
    numbers = "" if chance is None else f' data-probability="{chance!r}"'
    straight = f"M{begin:.1f} {parent.y:.1f} H{parent.x + columns[parent.history.depth].half:.1f}"
    middle = bend - FORK / 2
    path = f"{straight} C{middle:.1f} {parent.y:.1f} {middle:.1f} {node.y:.1f} {bend:.1f} {node.y:.1f} H{end:.1f}"
    name = _quoted(parent.history.actions[node.move])
    shown = _chance_of(node, policy)
    bold = f' <tspan class="chance">{_quoted(shown)}</tspan>' if shown else ""
    yield f"<g{never}{numbers}><title>{name}{'' if chance is None else f': {chance:.10g}'}</title>"
    yield f'<path d="{path}" stroke="{_colour(parent.history.player)}" stroke-width="{thick:.2f}"/>'
    yield f'<text x="{bend + 2:.1f}" y="{node.y - 3 - thick / 2:.1f}">{_quoted(_move(node))}{bold}</text></g>'


def _node(game: Game, node: Node, has_policy: bool) -> Iterator[str]:
    """Yield the box of a node with its reach below it, or the payoffs of a terminal with its reach beside them."""
    history, x, y = node.history, node.x, node.y
    reach = "" if not has_policy else f' data-reach="{node.reach!r}"'
    told = "" if not has_policy else f"\nreached with probability {node.reach:.10g}"
    never = " never" if node.reach == 0 else ""
    small = _quoted(_probability(node.reach))
    if history.player == TERMINAL:
        payoffs = " ".join(map(repr, history.payoffs))
        beside = x + LEAF / 2 + 6
        each = (f"{game.player_name(player)}: {payoff:.10g}" for player, payoff in enumerate(history.payoffs))
        yield f'<g class="leaf{never}" data-payoffs="{payoffs}"{reach}><title>{_quoted(", ".join(each))}{told}</title>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{LEAF / 2:.1f}" fill="{CHANCE_COLOUR}"/>'
        number = f'<tspan class="small" dx="8">{small}</tspan>' if has_policy else ""
        yield f'<text x="{beside:.1f}" y="{y + 4:.1f}">{_payoffs(node)}{number}</text></g>'
        return
    if history.point is None:
        title, text, index = "chance", "", ""
    else:
        who = f"{game.player_name(history.player)}, decision point {history.point.index}"
        title = f"{who}:\n{history.point.information_state}"
        text = f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{_quoted(_state(node))}</text>'
        index = f' data-point="{history.point.index}"'
    yield f'<g class="node{never}" data-player="{history.player}"{index}{reach}><title>{_quoted(title)}{told}</title>'
    shape = _shape(history.player, x, y, _box_width(node), NODE_HEIGHT if history.point else CHANCE_SIZE)
    yield f'<g class="box">{shape}{text}</g>'
    if has_policy and node.parent is not None:
        yield f'<text class="small" x="{x:.1f}" y="{y + 19:.1f}" text-anchor="middle">{small}</text>'
    yield "</g>"
