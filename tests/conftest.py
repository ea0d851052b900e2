"""Settings and fixtures of all tests, which share a temporary game cache and never use the user's."""

import os

import pytest
from hypothesis import settings

from gamebench.core import plugins
from gamebench.core.registry import OpenRegistry

settings.register_profile("gamebench", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("gamebench")


def pytest_collection_modifyitems(items):
    """Run slow tests first if several processes share the tests, so that none of them is left for the end."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_test_run(tmp_path_factory):
    kept = os.environ.get("GAMEBENCH_CACHE")
    base = tmp_path_factory.getbasetemp()
    of_all_processes = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    os.environ["GAMEBENCH_CACHE"] = str(of_all_processes / "cache")
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
    """Forget, after the test, what it registered and the plug-ins that it loaded."""
    monkeypatch.setattr(plugins, "_loaded", {})
    put_back = OpenRegistry.take_out(lambda origin: not origin.is_built_in)
    yield
    put_back()
