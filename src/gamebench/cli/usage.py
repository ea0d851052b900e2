"""One sentence about a wrong command line: what is wrong, and what would be right."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

import typer

from gamebench.errors import readable

UsageError: type[Any] = typer.BadParameter.__bases__[0]
"""Typer's error for a wrong command line, of which it exports only the most common kind."""
NUMBERS = {"integer": "a whole number", "number": "a number", "float": "a number"}
"""What Typer calls numbers in its messages, and what we call them."""


def usage_sentence(error: Any) -> str:
    """Return one sentence about a wrong command line.

    Versions of Typer differ in their messages and agree in the names of their errors. What is not recognised here is
    told in Typer's words.
    """
    message = " ".join(error.format_message().split())
    kind, parameter = type(error).__name__, getattr(error, "param", None)
    if kind == "NoSuchOption":
        return _unknown_option(error)
    if kind == "MissingParameter" and parameter is not None:
        about = getattr(parameter, "help", None) or ""
        return readable(f"{_name(parameter)} is missing: {about[:1].lower()}{about[1:]}" if about else message)
    if kind == "BadOptionUsage" and message.endswith("requires an argument."):
        return f"{error.option_name} needs a value after it."
    if kind == "BadParameter" and parameter is not None:
        return _wrong_value(message, parameter, error.__cause__)
    if message.startswith("No such command") and not message.endswith("?"):
        return readable(f"{message} {error.ctx.command_path} --help lists all.")
    if extra := re.search(r"unexpected extra argument\S* \((.*)\)", message):
        return readable(f"{extra.group(1)!r} is more than {error.ctx.command_path} takes.")
    return readable(message if message[-1:] in ".?" else f"{message}.")


def _name(parameter: Any) -> str:
    """Return the name of a parameter as it is typed or shown in the usage."""
    is_option = parameter.param_type_name == "option"
    return str(max(parameter.opts, key=len) if is_option else parameter.metavar or parameter.name.upper())


def _unknown_option(error: Any) -> str:
    known = [name for option in error.ctx.command.params for name in option.opts if name.startswith("-")]
    near = get_close_matches(error.option_name, known, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"{error.ctx.command_path} --help lists all."
    return readable(f"There is no option {error.option_name}; {hint}")


def _wrong_value(message: str, parameter: Any, cause: Any) -> str:
    """Return what is wrong with the value of an option or an argument; ``cause`` may be Pydantic's, which has it."""
    reason = message.partition(": ")[2].removeprefix("Value error, ")
    if choice := re.match(r"'?(.*?)'? is not one of (.*)", reason):
        names = re.findall(r"'([^']*)'", choice.group(2))
        near = get_close_matches(choice.group(1), names, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        return readable(f"{_name(parameter)} is one of {', '.join(names)}, not {choice.group(1)!r}{hint}")
    if number := re.search(r"valid (integer|number|float)", reason):
        given = re.match(r"'(.*)' is not", reason)
        value = given.group(1) if given else cause.errors()[0]["input"] if hasattr(cause, "errors") else None
        told = "" if value is None else f", not {value!r}"
        return readable(f"{_name(parameter)} must be {NUMBERS[number.group(1)]}{told}.")
    return readable(message if message[-1:] in ".?" else f"{message}.")
