"""One conformance suite for whatever is registered, the package's own and the user's.

A test of a plug-in is::

    import pytest
    from gamebench.testing import checks_of_plugin

    @pytest.mark.parametrize("check", checks_of_plugin("my_file.py"), ids=str)
    def test_it_conforms(check):
        check()

``gamebench check --plugin my_file.py`` is the same on the command line.
"""

from gamebench.testing.check import Check, ConformanceError
from gamebench.testing.known import Known, known_policies, sample_games
from gamebench.testing.suite import checks_of, checks_of_all, checks_of_own, checks_of_plugin

__all__ = [
    "Check",
    "ConformanceError",
    "Known",
    "checks_of",
    "checks_of_all",
    "checks_of_own",
    "checks_of_plugin",
    "known_policies",
    "sample_games",
]
