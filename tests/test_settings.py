"""Hyper-parameters: what help() and the reference say of them."""

import inspect
import pydoc

import pytest

import gamebench as gb
from gamebench.checks import real, whole
from gamebench.settings import Settings, setting

KINDS = [*gb.ALGORITHMS.values(), *gb.CONTROLLERS.values()]


class Search(Settings):
    """A search.

    With a second paragraph.
    """

    width: int = setting(whole(1, 9), "how many at once; all of them unless given", default=None)


class Wider(Search):
    """A wider search."""

    rule: object = setting(str, "what to do", default="nothing", allowed="anything with a name")
    bare: object = setting(str, "no more is known", default=0.5)


def test_a_docstring_lists_the_hyper_parameters_those_of_the_base_first():
    width = "width : a whole number from 1 to 9; default ``None``\n    how many at once; all of them unless given."
    assert Search.__doc__ == f"A search.\n\nWith a second paragraph.\n\n**Hyper-parameters**\n\n{width}"
    rule = "rule : anything with a name; default ``'nothing'``\n    what to do."
    bare = "bare : default ``0.5``\n    no more is known."
    assert Wider.__doc__ == f"A wider search.\n\n**Hyper-parameters**\n\n{width}\n{rule}\n{bare}"


def test_signatures_name_the_hyper_parameters():
    assert str(inspect.signature(Wider)).startswith("(*, width: int = None, rule: object = 'nothing', bare: ")


def test_classes_without_hyper_parameters_keep_their_docstrings():
    class Plain(Settings):
        """Nothing to set."""

    assert Plain.__doc__ == "Nothing to set."


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_help_has_the_range_the_default_and_a_line_about_every_hyper_parameter(kind):
    shown = pydoc.render_doc(kind, renderer=pydoc.plaintext)
    for parameter in kind.settings():
        about = parameter.metadata
        assert about["range"]
        assert f"{parameter.name} : {about['range']}" in shown
        assert f"default ``{parameter.default!r}``\n" in shown
        assert about["help"] in shown


def test_a_range_is_stated_by_the_check_that_enforces_it():
    [interval] = [parameter for parameter in gb.CMD.settings() if parameter.name == "interval"]
    assert interval.metadata["range"] == "a whole number of at least 1"
    with pytest.raises(gb.SettingError, match="interval must be a whole number of at least 1, not 0"):
        gb.CMD(interval=0)
    with pytest.raises(gb.SettingError, match="radius must be " + real(0, 1).range):
        gb.CMD(radius=2)
