"""The help: full summaries, meaningful descriptions, and every command in a section and on the page."""

import re
from pathlib import Path

import typer

import gamebench as gb
from gamebench.cli.application import SECTIONS
from gamebench.cli.main import app
from tests.cli.commands import gamebench, on_screen

COMMANDS = typer.main.get_command(app).commands
FEWEST_WORDS = 3
PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def says_something(text):
    return len(re.findall(r"\w+", text)) >= FEWEST_WORDS


def test_summaries_are_whole_and_in_sections_on_80_columns():
    shown = on_screen("--help").stdout
    assert "..." not in shown.split("Run algorithms:")[1]
    for name, command in COMMANDS.items():
        [line] = [line for line in shown.splitlines() if re.match(rf"  {name} ", line)]
        assert line.split(name, 1)[1].strip() == command.help.split(".")[0] + "."  # in one line
    assert all(f"{title}:" in shown for title in SECTIONS)


def test_h_is_help():
    for args in [[], ["list"]]:
        short, long = (gamebench(*args, option) for option in ("-h", "--help"))
        assert (short.returncode, short.stdout) == (0, long.stdout)


def test_descriptions_say_something():
    for name in COMMANDS:
        command = COMMANDS[name]
        assert says_something(command.help)
        assert "gamebench" in command.epilog  # an example
        vague = {
            parameter.name: parameter.help for parameter in command.params if not says_something(parameter.help or "")
        }
        assert not vague


def test_descriptions_of_hyper_parameters_say_something():
    for registry in [gb.algorithms.ALGORITHMS, gb.controllers.CONTROLLERS]:
        for name in registry:
            for setting in registry[name].settings():
                assert says_something(setting.metadata["help"]), f"{name}: {setting.name}"


def test_the_page_has_an_example_of_every_command():
    examples = re.findall(r"^gamebench ([\w-]+)", PAGE.read_text(), re.MULTILINE)
    assert sorted(set(examples)) == sorted(COMMANDS)
