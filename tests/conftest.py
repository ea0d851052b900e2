"""Every test sees a game cache of the test run's own, never the user's."""

import os

import pytest
from hypothesis import settings

from gamebench import plugins
from gamebench.registry import OpenRegistry

settings.register_profile("gamebench", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("gamebench")


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_test_run(tmp_path_factory):
    kept = os.environ.get("GAMEBENCH_CACHE")
    os.environ["GAMEBENCH_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if kept is None:
        del os.environ["GAMEBENCH_CACHE"]
    else:
        os.environ["GAMEBENCH_CACHE"] = kept


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    folder = tmp_path / "games"
    monkeypatch.setenv("GAMEBENCH_CACHE", str(folder))
    return folder


@pytest.fixture
def own_names(monkeypatch):
    """What the test registers, and the plug-ins that it loads, are forgotten after it."""
    monkeypatch.setattr(plugins, "_loaded", {})
    restore = OpenRegistry.snapshot()
    yield
    restore()
