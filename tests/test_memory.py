"""Free memory: the least of what the machine, a container and the limits of the process leave."""

import resource
import subprocess
import sys

import pytest

from gamebench import memory


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files of the system that a test may write."""
    limit, used, info = tmp_path / "limit", tmp_path / "used", tmp_path / "info"
    info.write_text("MemTotal:       2000 kB\nMemAvailable:     1000 kB\n")
    monkeypatch.setattr(memory, "MEMORY_INFO", info)
    monkeypatch.setattr(memory, "CGROUPS", ((limit, used),))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return info, limit, used


def test_of_the_machine(files):
    assert memory.free_memory() == 1000 * 1024
    files[0].unlink()
    assert memory.free_memory() > 2**20  # half of all there is


def test_of_a_container(files):
    _, limit, used = files
    limit.write_text("5000\n")
    used.write_text("2000\n")
    assert memory.free_memory() == 3000
    used.write_text("6000\n")
    assert memory.free_memory() == 0
    limit.write_text("max\n")
    assert memory.free_memory() == 1000 * 1024


LIMITED = """
import resource
from gamebench.memory import STATUS, _field, free_memory
before = free_memory()
resource.setrlimit(resource.RLIMIT_AS, (_field(STATUS, "VmSize") + 10**8, resource.RLIM_INFINITY))
assert 10**8 - 10**7 <= free_memory() <= 10**8 <= before, (free_memory(), before)
"""


def test_of_a_limited_process():
    subprocess.run([sys.executable, "-c", LIMITED], check=True)
