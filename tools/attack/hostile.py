"""Hostile texts: specs, hyper-parameters and command lines, each drawn from a generator."""

from __future__ import annotations

import json
import random
import re
import string
from typing import Any

WORDS = (
    *(
        "",
        " ",
        "\t",
        "\n",
        "\0",
        "a",
        "-",
        "--",
        "---",
        "-1",
        "0",
        "1e9999999",
        "nan",
        "inf",
        "-inf",
        "None",
        "null",
        "~",
    ),
    *("true", "[]", "{}", "()", "(", ")", "[", "{", "'", '"', "\\", "/", "..", "../..", "/dev/null", "/proc/self/mem"),
    *(
        "$x_{$",
        "$\\frac$",
        "%s%n",
        "{0}",
        "{x!r}",
        "\u202e",
        "\ufeff",
        "\ud800",
        "e\u0301",
        "\U0001f600",
        "ü",
        "x" * 3000,
    ),
    *(
        "<script>",
        "&amp;",
        "\x1b[2J",
        "Kuhn",
        "CMD",
        "NashConv",
        "x^2",
        "=",
        "a=b",
        "a==b",
        "=1",
        "*",
        "&a",
        "*a",
        "!!x",
    ),
)
NUMBERS = (
    *(
        "0",
        "-0",
        "1",
        "-1",
        "2",
        "3",
        "0.5",
        "1/2",
        "1/0",
        "0/0",
        "1e308",
        "-1e308",
        "1e309",
        "1e-400",
        "1e9999999",
        "-1e9999999",
    ),
    *(
        "1/1e9999999",
        "nan",
        "inf",
        "-inf",
        "NaN",
        "0x10",
        "1_000",
        "1e",
        "e5",
        ".5",
        "5.",
        ".",
        "+1",
        "--1",
        "1,5",
        "٣",
        "²",
    ),
    *(
        "9" * 400,
        "9" * 6000,
        "0." + "0" * 6000 + "1",
        "1e-9999999",
        "9223372036854775808",
        "18446744073709551616",
        "4294967296",
    ),
)
"""As texts."""
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        3,
        7,
        10**6,
        10**12,
        2**63,
        2**64,
        10**30,
        -(2**63),
        0.0,
        -0.5,
        0.5,
        1e-300,
        1e300,
    ),
    *(
        1e-3,
        "",
        "text",
        "Kuhn",
        "kuhn",
        "CMD",
        "cfr+",
        "x^2",
        "x ln x",
        "NashConv",
        [],
        {},
        [[]],
        [None],
        [1, 2],
        [0.1, 0.2],
    ),
    *(
        [0, 0],
        {"a": 1},
        {"": ""},
        {"game": "Kuhn-A"},
        {"algorithm": "MD", "set": {"step_size": [1, 2]}},
        [["Kuhn"]],
        "\0",
    ),
)


def word(rng: random.Random) -> str:
    """Return an unusual text."""
    if rng.random() < 0.8:
        return rng.choice(WORDS)
    return "".join(rng.choices(string.printable + "äß€\u2028\x00", k=rng.choice((1, 3, 10, 100))))


def mutated(text: str, rng: random.Random) -> str:
    """Return the text with a part removed, inserted, doubled or swapped."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        pieces = re.split(r"(\W)", text) if rng.random() < 0.6 else list(text)
        place = rng.randrange(len(pieces)) if pieces else 0
        how = rng.randrange(5)
        if how == 0:
            pieces[place : place + rng.choice((1, 1, 3))] = []
        elif how == 1:
            pieces.insert(place, word(rng))
        elif how == 2:
            pieces[place : place + 1] = [rng.choice(NUMBERS)]
        elif how == 3:
            pieces[place:place] = pieces[place : place + rng.choice((1, 5, 50))] * rng.choice((1, 2, 10))
        else:
            other = rng.randrange(len(pieces)) if pieces else 0
            pieces[place : place + 1], pieces[other : other + 1] = pieces[other : other + 1], pieces[place : place + 1]
        text = "".join(pieces)
    return text


def changed(data: Any, rng: random.Random) -> Any:
    """Return the data with a value replaced, removed or inserted, at any depth."""
    if rng.random() < 0.1 or not isinstance(data, dict | list) or not data:
        return rng.choice(VALUES) if rng.random() < 0.8 else word(rng)
    if isinstance(data, list):
        place = rng.randrange(len(data))
        return [*data[:place], changed(data[place], rng), *data[place + 1 :]]
    key = rng.choice(list(data))
    how = rng.random()
    if how < 0.1:
        return {name: value for name, value in data.items() if name != key}
    if how < 0.2:
        return {**data, word(rng): rng.choice(VALUES)}
    return {**data, key: changed(data[key], rng)}


# Specs

SPECS: tuple[dict[str, Any], ...] = (
    {"games": ["Kuhn-A"], "algorithms": ["CFR"], "iterations": 10, "seeds": 2, "title": "small"},
    {
        "games": [{"game": "kuhn_poker(players=3)", "teams": [[0, 1], [2]], "max_histories": 3000}, "TinyHanabi-B"],
        "algorithms": [
            {"algorithm": "CMD", "set": {"history": [1, 3], "convex": ["x^2", "x ln x"], "radius": 0.1}},
            "CFR+",
        ],
        "iterations": 20,
        "measures": ["SocialWelfare"],
        "checkpoints": [1, 5, 10],
        "seeds": [3, 5],
    },
    {
        "games": [
            {"game": "kuhn_poker", "focal": 0, "payoff_scale": 10},
            {"game": "MCCGoofspiel", "coordinated": True},
        ],
        "algorithms": {"algorithm": "GMD", "set": {"weights": [[[0.2, 0.8]]], "history": 1}},
        "measures": "OptGap",
        "checkpoints": 2,
    },
)
TAGS = (
    "!!bool",
    "!!float",
    "!!int",
    "!!timestamp",
    "!!binary",
    "!!set",
    "!!omap",
    "!!pairs",
    "!!null",
    "!!str",
    "!!seq",
    "!!map",
    "!own",
)
TAGS += (
    "!!python/object/apply:os.system",
    "!!python/name:os.system",
    "!!merge",
    "!!value",
    "!!yaml",
    "!",
    "!<tag:yaml.org,2002:bool>",
)


def yaml_text(rng: random.Random) -> str:
    """Return a sweep in YAML, more or less valid."""
    base = rng.choice(SPECS)
    how = rng.randrange(8)
    if how < 3:
        for _ in range(rng.choice((1, 1, 2, 4))):
            base = changed(base, rng)
        return json.dumps(base)
    if how < 5:
        return mutated(json.dumps(base, indent=1), rng)
    key = rng.choice(("games", "algorithms", "iterations", "seeds", "measures", "checkpoints", "title"))
    lines = [f"{name}: {json.dumps(value)}" for name, value in base.items() if name != key]
    lines.insert(rng.randrange(len(lines) + 1), f"{key}: {_yaml_value(rng)}")
    return "\n".join(lines) + "\n"


def _yaml_value(rng: random.Random) -> str:
    depth = rng.choice((10, 500, 5000))
    return rng.choice(
        (
            f"{rng.choice(TAGS)} {rng.choice(('x', '', '[1]', '{a: 1}', *WORDS[:6], *NUMBERS[:6]))!s}",
            f"{rng.choice(TAGS)} {json.dumps(rng.choice(('x', '', '1', '2001-02-30')))}",
            _bomb(rng),
            "[" * depth + "]" * rng.choice((depth, depth - 1)),
            "{a: " * depth + "1" + "}" * depth,
            "\n" + "".join(f"{' ' * level}- \n" for level in range(min(depth, 300))),
            "&a [*a]",
            "&a {b: *a}",
            "*unknown",
            "{<<: [1]}",
            "{<<: {a: 1}, <<: {b: 2}}",
            "{? [1, 2] : 3}",
            "{? {a: 1} : 3}",
            "{a: 1, a: 2}",
            "2001-12-14t21:59:43.10-05:00",
            "0o14",
            "1:30",
            "|\n  text",
            rng.choice(NUMBERS),
            word(rng),
        )
    )


def _bomb(rng: random.Random) -> str:
    """Return nested lists in YAML, each ten times as large as the one before."""
    depth = rng.choice((3, 9, 30))
    first = rng.choice(("&a0 [Kuhn-A]", "&a0 [1]", "&a0 {game: Kuhn-A}"))
    levels = [first, *(f"&a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, depth))]
    return "[" + ", ".join(levels) + "]"


# Hyper-parameters

CONVEX = (
    "x ln x",
    "x^2",
    "x^1.5",
    "-x^0.5",
    "e^(1x)",
    "-ln x",
    "x^1",
    "x^0",
    "x^-1",
    "x^1e300",
    "x^nan",
    "e^(1e300x)",
    "e^(-1x)",
    "-x^2",
)
CONTROLLERS = (
    "DRS",
    "RS",
    "GLD",
    "GLDS(1)",
    "DRS(",
    "DRS()",
    "DRS(x=1)",
    "GLDS(steps=-1)",
    "DGLDS(steps=10)",
    "GLD(steps=1e300)",
)


def assignment(names: list[str], rng: random.Random) -> str:
    """Return a hyper-parameter and a value."""
    name = rng.choice(names) if rng.random() < 0.9 else word(rng)
    kind = rng.randrange(6)
    if kind == 0:
        value = rng.choice(CONVEX)
    elif kind == 1:
        value = rng.choice(CONTROLLERS)
    elif kind == 2:
        value = rng.choice(NUMBERS)
    elif kind == 3:
        value = json.dumps(rng.choice(VALUES))
    elif kind == 4:
        value = _yaml_value(rng)
    else:
        value = word(rng)
    return f"{name}={value}"


# Command lines

COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "run": (
        ["Kuhn-A", "-n", "3"],
        [
            "--seeds",
            "--measure",
            "--set",
            "--teams",
            "--coordinated",
            "--max-beliefs",
            "--focal",
            "--payoff-scale",
            "--checkpoints",
            "-a",
            "--save-every",
            "--json",
            "--compare",
        ],
    ),
    "sweep": (
        ["overview", "games=Kuhn-A", "iterations=3"],
        ["--workers", "--executor", "--ray-address", "--figure", "--save-every", "--json"],
    ),
    "evaluate": (
        ["Kuhn-A"],
        [
            "--measure",
            "--teams",
            "--coordinated",
            "--max-beliefs",
            "--focal",
            "--payoff-scale",
            "--json",
            "--max-histories",
        ],
    ),
    "list": (["measures"], ["--json"]),
    "status": (["."], ["--json"]),
    "export": (["0", "--to", "csv"], ["--output", "--to"]),
    "report": (["."], ["--output", "--title"]),
    "claims": (["."], ["--verdict", "--name", "--json"]),
    "reproduce": (["nothing"], ["--iterations", "--seeds", "--quick", "--workers"]),
    "check": (["nothing"], ["--json"]),
}
LAST = {"run": ["-n", "3", "--max-histories", "3000"], "sweep": ["--dry-run"], "evaluate": ["--max-histories", "3000"]}
"""Arguments that keep every command short."""


def command_line(rng: random.Random) -> list[str]:
    """Return arguments of ``gamebench``, more or less valid."""
    if rng.random() < 0.05:
        return [word(rng) for _ in range(rng.randrange(4))]
    command = rng.choice(list(COMMANDS))
    usual, options = COMMANDS[command]
    arguments = list(usual)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        arguments.append(rng.choice(options))
        if rng.random() < 0.8:
            arguments.append(
                rng.choice((word(rng), rng.choice(NUMBERS), "0,1/2", "CFR", "NashConv", "[1,2]", "0", "local", "json"))
            )
    if rng.random() < 0.5:
        place = rng.randrange(len(arguments))
        arguments[place] = word(rng) if rng.random() < 0.5 else mutated(arguments[place], rng)
    if rng.random() < 0.2:
        rng.shuffle(arguments)
    if rng.random() < 0.1:
        arguments.insert(rng.randrange(len(arguments) + 1), rng.choice(("--help", "--version", "--", "-", "--plugin")))
    known = ("all", "--debug")
    arguments = [one.replace("\0", "?") for one in arguments if one not in known]
    return [command, *arguments, *LAST.get(command, [])]
