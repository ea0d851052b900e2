"""Layout of a drawn game tree: from left to right by depth, with a line for each terminal.

A subtree owns the lines of its terminals, so subtrees never overlap. A node is halfway between its first and its last
child. Between two columns there is room for the names of moves, and for the dashed lines that join an information set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game
from gamebench.games.histories import History, walk_histories

LINE, BETWEEN_FAMILIES = 24.0, 8.0
"""Height of a terminal's line, and extra space between terminals of different parents."""
FORK, MARGIN, HEAD = 30.0, 18.0, 64.0
"""Width of the bends after a node; space around the tree; space above it for the title and the players."""
LANE, LARGEST_LANES = 7.0, 84.0
"""Width of a dashed line's lane, and of all lanes of a column together."""
LETTER, SMALL_LETTER = 6.4, 5.7
"""Width of a letter in a wide font, because fonts differ."""
NODE_HEIGHT, LEAF = 18.0, 5.0
"""Height of a node, and the width of a terminal's dot."""


@dataclass(eq=False)
class Node:
    """A history of the tree and its place in the drawing."""

    history: History
    parent: Node | None
    move: int
    """Position of the move that leads here among the moves of the parent."""
    reach: float
    """Probability of this history under the policy; 1 without one."""
    children: list[Node] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    def probability(self, policy: FloatArray | None) -> float | None:
        """Probability of the move that leads here: by chance, by the policy, or unknown."""
        assert self.parent is not None
        history = self.parent.history
        if history.point is None:
            return history.chances[self.move]
        return None if policy is None else float(policy[history.point.sequences][self.move])


def nodes_of(game: Game, policy: FloatArray | None) -> list[Node]:
    """Return the nodes of a game's tree, parents before children, without positions."""
    nodes = list[Node]()
    path = list[Node]()  # from the root to the node before
    for history in walk_histories(game):
        del path[history.depth :]
        parent = path[-1] if path else None
        node = Node(history, parent, len(parent.children) if parent else 0, 1.0)
        if parent is not None:
            parent.children.append(node)
            chance = node.probability(policy)
            node.reach = parent.reach * (1.0 if chance is None else chance)
        path.append(node)
        nodes.append(node)
    return nodes


@dataclass(frozen=True)
class Column:
    """All nodes of the same depth, and how wide their parts are."""

    nodes: list[Node]
    half: float
    """Half the width of the nodes' boxes."""
    labels: float
    """Width of the longest name of a move that leads here."""
    payoffs: float
    """Width of the longest text beside a terminal."""
    joints: list[tuple[Node, Node, int]]
    """Neighbours in an information set, and the lane in which they are joined."""

    @property
    def lanes(self) -> float:
        """Width of all lanes."""
        return min(LANE * (1 + max((lane for *_, lane in self.joints), default=-1)), LARGEST_LANES)

    def lane_at(self, lane: int) -> float:
        """Return how far left of the boxes a lane is."""
        count = 1 + max(number for *_, number in self.joints)
        return self.lanes * (lane + 1) / count


def place_lines(nodes: Sequence[Node]) -> float:
    """Set the y position of every node; return the height of the whole drawing."""
    y, before = HEAD, None
    for node in nodes:
        if not node.children:
            y += 0 if before is None else LINE + (BETWEEN_FAMILIES if before.parent is not node.parent else 0)
            node.y, before = y, node
    for node in reversed(nodes):
        if node.children:
            node.y = (node.children[0].y + node.children[-1].y) / 2
    return y + MARGIN + LINE / 2


def joints_of(nodes: Sequence[Node]) -> Iterator[tuple[Node, Node, int]]:
    """Yield the nodes of a column that are joined, with lanes in which dashed lines do not overlap."""
    sets: dict[int, list[Node]] = {}
    for node in sorted(nodes, key=lambda node: node.y):
        if node.history.point is not None:
            sets.setdefault(node.history.point.index, []).append(node)
    ends = list[float]()  # where the last dashed line of each lane ends
    for joined in sorted((each for each in sets.values() if len(each) > 1), key=lambda each: each[0].y):
        lane = next((lane for lane, end in enumerate(ends) if end < joined[0].y), len(ends))
        ends[lane : lane + 1] = [joined[-1].y]
        for one, other in pairwise(joined):
            yield one, other, lane


def place_columns(columns: Sequence[Column]) -> float:
    """Set the x position of every node; return the width of the whole drawing."""
    x, before, right = MARGIN, None, 0.0
    for column in columns:
        if before is not None:
            beside = before.payoffs if column.joints else 0.0  # dashed lines must not cross payoffs
            x += before.half + max(FORK + column.labels, beside) + column.lanes
        x += column.half
        for node in column.nodes:
            node.x = x
        right = max(right, x + column.half + column.payoffs)
        before = column
    return right + MARGIN
