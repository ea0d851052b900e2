"""Draw the computed figures of the docs. Equal numbers give equal bytes.

python -m tools.draw_docs
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import gamebench as gb
from gamebench.algorithms.descent.convex import as_convex
from gamebench.core.arrays import FloatArray
from gamebench.report.styles import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY
from gamebench.system.files import write_atomically

DOCS = Path(__file__).parent.parent / "docs"
PENNIES = [[[3, -3], [-1, 1]], [[-1, 1], [1, -1]]]
"""Matching pennies where matching heads counts three; in equilibrium each player plays heads with probability 1/3."""
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
"""Corners of the triangle that represents all policies over three actions."""
SETTINGS = {"svg.hashsalt": "gamebench", "font.size": 8, "axes.titlesize": 9, "axes.spines.top": False}
SETTINGS |= {"axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "grid.linewidth": 0.5}


def bregman() -> Figure:
    """Draw what a Bregman divergence measures, and the steps of three divergences."""
    figure = Figure(figsize=(7.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    x = np.linspace(1e-6, 1, 400)
    touching, compared = 0.25, 0.7
    tangent = touching * np.log(touching) + (np.log(touching) + 1) * (x - touching)
    left.plot(x, x * np.log(x), color=BLUE, label="$\\psi(x) = x\\,\\ln x$")
    left.plot(x, tangent, color=GREY, ls="dashed", label="tangent at $y$")
    ends = touching * np.log(touching) + (np.log(touching) + 1) * (compared - touching), compared * np.log(compared)
    left.plot([compared, compared], ends, color=ORANGE, lw=2.5)
    left.annotate("$B_\\psi(x, y)$", (compared, np.mean(ends)), (8, -3), textcoords="offset points", color=ORANGE)
    left.plot([touching], [touching * np.log(touching)], "o", color=GREY)
    left.set_xticks([0, touching, compared, 1], ["0", "$y$", "$x$", "1"])
    left.set_ylim(-0.62, 0.12)
    left.set_title("A divergence is the gap below the curve")
    left.legend(frameon=False, loc="upper center")
    _triangle(right, ("best action", "second", "worst"))
    begin, values = np.array([0.05, 0.25, 0.70]), np.array([1.0, 0.75, 0.0])
    for name, colour in (("x ln x", BLUE), ("x^2", ORANGE), ("-ln x", GREEN)):
        # One step of mirror ascent: A = Q + psi'(begin) / eta, B = 1 / eta.
        slope = as_convex(name).derivative(begin)
        sizes = np.geomspace(1e-3, 300, 200)
        steps = [gb.mirror_step(values + slope / eta, scale=1 / eta, convex=name) for eta in sizes]
        right.plot(*_in_plane(np.array([begin, *steps])).T, color=colour, label=f"$\\psi$ = {name}")
    right.plot(*_in_plane(begin), "o", color="black", ms=4)
    right.annotate("start", _in_plane(begin), (5, 5), textcoords="offset points")
    right.set_title("One step from the same start, its size growing from 0", pad=14)
    right.legend(frameon=False, loc="upper left", bbox_to_anchor=(-0.1, 1))
    return figure


def last_iterate() -> Figure:
    """Draw mirror descent, which circles away from the equilibrium, and the effect of a fixed and a moving magnet."""
    game = gb.Game.from_payoffs(PENNIES)
    weights = (1.0, 5.0)
    methods = {
        "MD": (gb.algorithms.MD(step_size=0.2), GREY),
        "GMD, magnet fixed": (gb.algorithms.GMD(history=1, weights=weights, magnet="initial"), ORANGE),
        "GMD, magnet moving": (gb.algorithms.GMD(history=1, weights=weights), BLUE),
    }
    figure = Figure(figsize=(7.6, 2.5), layout="constrained")
    axes = figure.subplots(1, 4, width_ratios=[1, 1, 1, 1.25])
    for ax, (name, (algorithm, colour)) in zip(axes, methods.items(), strict=False):
        policies = _trajectory(game, algorithm, 1000)
        ax.plot(policies[:201, 0], policies[:201, 2], color=colour, lw=0.9)
        ax.plot([0.5], [0.5], "o", color="black", ms=3)
        ax.plot([1 / 3], [1 / 3], "*", color=PINK, ms=9)
        ax.plot(*policies[200, [0, 2]], "s", color=colour, ms=4)
        ax.set(xlim=(0, 1), ylim=(0, 1), title=name, xlabel="P(heads), player 0")
        ax.set_aspect("equal")
        measured = [gb.evaluate(game, gb.Policy(game, policy), "NashConv") for policy in policies]
        axes[3].plot(np.maximum(measured, 1e-13), color=colour, lw=1)
    axes[0].set_ylabel("P(heads), player 1")
    axes[3].set(yscale="log", xlabel="iteration", title="NashConv")
    return figure


def controller() -> Figure:
    """Draw NashConv and weights of CMD on Leduc, beside GMD with its fixed weights."""
    iterations, every = 4000, 20
    figure = Figure(figsize=(7.6, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    runs = [gb.solve("Leduc", "CMD", iterations, seed=seed, checkpoints=every).curve for seed in range(3)]
    plain = gb.solve("Leduc", "GMD", iterations, checkpoints=every).curve
    left.plot(plain["iteration"], plain["NashConv"], color=ORANGE, lw=1, label="GMD: weights stay at 1/4")
    for seed, curve in enumerate(runs):
        label = "CMD: weights follow NashConv (3 seeds)" if seed == 0 else None
        left.plot(curve["iteration"], curve["NashConv"], color=BLUE, lw=0.8, alpha=1 - 0.3 * seed, label=label)
    left.set(yscale="log", xlabel="iteration", title="NashConv on Leduc")
    left.legend(frameon=False, loc="lower left")
    names = [name for name in runs[0] if name.startswith("alpha_")]
    for name, colour in zip(names, (PINK, BLUE, SKY, AMBER), strict=True):
        label = name.removeprefix("alpha_")
        label = "magnet" if label == "magnet" else f"$\\pi_{{k-{int(label) - 1}}}$"
        right.plot(runs[0]["iteration"], runs[0][name], color=colour, lw=0.9, label=label.replace("k-0", "k"))
    right.axhline(0.25, color=ORANGE, ls="dashed", lw=1)
    right.set(ylim=(0, 1.02), title="Weights $\\alpha$ of CMD, seed 0")
    right.legend(frameon=False, loc="upper center", ncols=4, bbox_to_anchor=(0.5, -0.16))
    return figure


def payoff_scale() -> Figure:
    """Draw NashConv, divided by the scale of the payoffs, with payoffs times 1 and times 10."""
    methods = {"CFR": GREEN, "CFR+": BLUE, "MMD-KL": ORANGE, "CMD": PINK}
    figure = Figure(figsize=(7.6, 3.0), layout="constrained")
    for ax, name in zip(figure.subplots(1, 3), ("Kuhn", "Leduc", "Goofspiel"), strict=True):
        for method, colour in methods.items():
            # The paper's games have other defaults of history and radius.
            settings = {"history": 3, "radius": 0.05} if method == "CMD" else {}
            for scale, style in ((1, {"lw": 2.5, "alpha": 0.45}), (10, {"lw": 1, "ls": "dashed"})):
                game = gb.load_game(name, payoff_scale=scale)
                curve = gb.solve(game, method, 1000, **settings).curve
                label = f"{method}, payoffs x {scale}"
                ax.plot(curve["iteration"][1:], curve["NashConv"][1:] / scale, color=colour, label=label, **style)
        ax.set(xscale="log", yscale="log", ylim=(1e-7, 20), xlabel="iteration", title=name)
    figure.axes[0].set_ylabel("NashConv / scale of payoffs")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=len(methods))
    return figure


def alternating() -> Figure:
    """Draw NashConv on MCCGoofspiel with simultaneous and alternating updates, and what the two members play."""
    game, iterations = gb.load_game("MCCGoofspiel"), 4096
    highest = [point.first_sequence + 2 for point in game.decision_points if len(point.actions) == 3]
    ways = {False: ("simultaneous", {"ls": "dashed", "lw": 1.4}), True: ("alternating", {"lw": 1.4})}
    figure = Figure(figsize=(7.6, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.2, 1])
    for name, colour in (("CFR+", BLUE), ("MMD-KL", ORANGE), ("GMD", GREEN)):
        for in_turn, (way, style) in ways.items():
            curve = gb.solve(game, name, iterations, alternating=in_turn).curve
            values = np.maximum(curve["NashConv"][1:], 1e-10)
            left.plot(curve["iteration"][1:], values, color=colour, label=f"{name}, {way}", **style)
    left.axhline(0.25, color=GREY, lw=0.8)
    left.annotate("0.25", (1, 0.25), (2, -10), textcoords="offset points", color=GREY)
    left.set(xscale="log", yscale="log", xlabel="iteration", title="NashConv on MCCGoofspiel")
    left.legend(frameon=False, loc="lower left")
    policies = {in_turn: _trajectory(game, gb.algorithms.GMD(alternating=in_turn), 1000) for in_turn in ways}
    for member, colour in ((0, PINK), (1, SKY)):
        label = f"member {member}, alternating"
        right.plot(policies[True][:, highest[member]], color=colour, lw=1.4, label=label)
    right.plot(policies[False][:, highest[0]], color="black", ls="dashed", lw=1.4, label="both members, simultaneous")
    right.set(
        xscale="symlog",
        ylim=(-0.03, 1.03),
        xlabel="iteration",
        title="GMD: probability of bidding 3 in the first round",
    )
    right.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1000"])
    right.set_xlim(0, 1000)
    right.legend(frameon=False, loc="upper left")
    return figure


def crd_rate() -> Figure:
    """Draw NashConv against joint policies evaluated: plain CFR+, CFR+ with restarts, and CRD."""
    methods = {"CFR+": ({}, GREY), "CFR+ restart=20": ({"restart": 20}, SKY), "CRD": ({}, ORANGE)}
    lengths = {"Kuhn": 2000, "Leduc": 8000, "LiarsDice-4": 1000, "LiarsDice-5": 3000, "Goofspiel-4": 2000}
    figure = Figure(figsize=(7.6, 4.4), layout="constrained")
    for ax, (name, length) in zip(figure.subplots(2, 3).flat, (lengths | {"Goofspiel-5": 3000}).items(), strict=True):
        for label, (settings, colour) in methods.items():
            curve = gb.solve(name, label.split()[0], length, checkpoints=length // 200, **settings).curve
            values = np.maximum(curve["NashConv"], 1e-15)
            ax.plot(curve["policies_evaluated"], values, color=colour, lw=1.4, label=label)
        ax.set(yscale="log", ylim=(1e-15, 5), title=name)
    for ax in figure.axes[3:]:
        ax.set_xlabel("joint policies evaluated")
    for ax in figure.axes[::3]:
        ax.set_ylabel("NashConv")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=len(methods))
    return figure


def figures_example() -> Figure:
    """Draw the example of the page on figures."""
    methods = [("CMD", seed) for seed in range(3)] + [(name, 0) for name in ("GMD", "CFR", "CFR+")]
    results = [gb.solve(game, name, 64, seed=seed) for game in ("Kuhn", "Leduc") for name, seed in methods]
    return gb.plot(results, spread="std", title="Two games of poker")


def of_own_game() -> None:
    """Run the code of the page on your own game, and keep its figure."""
    blocks = re.findall(r"^```[a-z]+\n(.*?)^```$", (DOCS / "own-game.md").read_text(), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for block in blocks:
            if (name := re.match(r"# ([\w-]+\.\w+)\n", block)) is not None:
                Path(name[1]).write_text(block)
        exec(blocks[0], {})  # our own page
        gb.load_plugin("dice_duel.py")
        gb.sweep("duel.yaml", "results", executor="serial")
        gb.plot("results").savefig("own-game.svg", metadata={"Date": None})
        _write("own-game.svg", Path("own-game.svg").read_bytes())


def _trajectory(game: gb.Game, algorithm: gb.Algorithm, iterations: int) -> FloatArray:
    """Return the policy after each iteration, of shape ``(iterations + 1, S)``."""
    algorithm = algorithm.configured(game, iterations)
    state = algorithm.start(game, 0)
    policies = [state.policy.copy()]
    for _ in range(iterations):
        algorithm.advance(game, state, 1)
        policies.append(state.policy.copy())
    return np.array(policies)


def _in_plane(policies: FloatArray) -> FloatArray:
    """Return the points of the triangle that represent policies over three actions."""
    return policies @ CORNERS


def _triangle(ax: Axes, names: tuple[str, str, str]) -> None:
    ax.set_axis_off()
    ax.plot(*np.array([*CORNERS, CORNERS[0]]).T, color="black", lw=0.8)
    for name, corner, shift in zip(names, CORNERS, ((0, -12), (0, -12), (0, 5)), strict=True):
        ax.annotate(name, corner, shift, textcoords="offset points", ha="center")
    ax.set_aspect("equal")


def of_tutorial() -> None:
    """Run the tutorial's code up to its last figure, and keep the figures."""
    text = (DOCS / "tutorial.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    last = max(index for index, block in enumerate(blocks) if "savefig" in block)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        exec("\n".join(blocks[: last + 1]), {})  # our own page
        for path in sorted(Path(folder).glob("*.svg")):
            _write(f"tutorial-{path.name}", path.read_bytes())


def tree() -> None:
    """Draw the tree of Kuhn poker with an equilibrium on it."""
    solution = gb.solve_exactly(gb.load_game("kuhn_poker"))
    assert isinstance(solution.policy, gb.Policy)
    _write("kuhn-tree.svg", str(gb.draw(solution.policy.game, solution.policy)).encode())


def _write(name: str, content: bytes) -> None:
    # Matplotlib leaves trailing spaces.
    lines = (line.rstrip() for line in content.decode().splitlines())
    write_atomically(DOCS / "_static" / name, ("\n".join(lines) + "\n").encode())


def main() -> None:
    """Draw all figures."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # matplotlib writes this date instead of today's
    mpl.use("svg")
    mpl.rcParams.update(SETTINGS)
    drawings: dict[str, Callable[[], Figure]] = {
        "idea-bregman": bregman,
        "idea-last-iterate": last_iterate,
        "idea-controller": controller,
        "payoff-scale": payoff_scale,
        "alternating": alternating,
        "crd-rate": crd_rate,
        "figures-example": figures_example,
    }
    for name, drawing in drawings.items():
        buffer = io.BytesIO()
        drawing().savefig(buffer, format="svg", metadata={"Date": None})
        _write(f"{name}.svg", buffer.getvalue())
    of_tutorial()
    tree()
    of_own_game()


if __name__ == "__main__":
    main()
