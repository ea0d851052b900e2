"""Memory and cores: the strictest limit of the machine, a container and the process applies."""

import resource
import subprocess
import sys

import pytest

from gamebench.system import machine, processes


@pytest.fixture
def files(tmp_path, monkeypatch):
    """System files that a test can write."""
    info, groups, root = tmp_path / "info", tmp_path / "groups", tmp_path / "root"
    info.write_text("MemTotal:       2000 kB\nMemAvailable:     1000 kB\n")
    (root / "job" / "step").mkdir(parents=True)
    monkeypatch.setattr(machine, "MEMORY_INFO", info)
    monkeypatch.setattr(machine, "MEMBERSHIP", groups)
    monkeypatch.setattr(machine, "MOUNTED", root)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    yield info, groups, root
    machine.cores_allowed.cache_clear()


def test_memory_of_the_machine(files):
    assert machine.free_memory() == 1000 * 1024
    files[0].unlink()
    assert machine.free_memory() > 2**20  # half of all memory


def test_memory_of_a_container_and_what_is_around_it(files):
    _, groups, root = files
    groups.write_text("0::/job/step\n")
    for folder, limited_to, taken, idle in ((root / "job" / "step", 5000, 2500, 500), (root / "job", 7000, 4500, 0)):
        (folder / "memory.max").write_text(f"{limited_to}\n")
        (folder / "memory.current").write_text(f"{taken}\n")
        (folder / "memory.stat").write_text(f"inactive_filex 7\ninactive_file {idle}\n")
    assert machine.free_memory() == 2500  # the job's limit
    (root / "job" / "memory.current").write_text("1000\n")
    assert machine.free_memory() == 3000  # the limit of the step, whose idle pages count as free
    (root / "job" / "step" / "memory.max").write_text("max\n")
    assert machine.free_memory() == 6000
    (root / "job" / "memory.current").write_text("8000\n")
    assert machine.free_memory() == 0
    groups.unlink()
    assert machine.free_memory() == 1000 * 1024


LIMITED = """
import resource
from gamebench.system.machine import STATUS, _field, free_memory
before = free_memory()
resource.setrlimit(resource.RLIMIT_AS, (_field(STATUS, "VmSize") + 10**8, resource.RLIM_INFINITY))
assert 10**8 - 10**7 <= free_memory() <= 10**8 <= before, (free_memory(), before)
"""


def test_memory_of_a_limited_process():
    subprocess.run([sys.executable, "-c", LIMITED], check=True)


def test_cores_of_a_container_and_what_is_around_it(files):
    _, groups, root = files

    def cores_allowed():
        """The limit that the files currently state."""
        machine.cores_allowed.cache_clear()
        return machine.cores_allowed()

    assert cores_allowed() is None
    groups.write_text("0::/job/step\n")
    assert cores_allowed() is None
    (root / "job" / "step" / "cpu.max").write_text("max 100000\n")
    assert cores_allowed() is None
    (root / "job" / "cpu.max").write_text("250000 100000\n")
    assert cores_allowed() == 2.5
    (root / "job" / "step" / "cpu.max").write_text("100000 200000\n")
    assert cores_allowed() == 0.5


def test_a_container_limits_the_number_of_cores(monkeypatch):
    monkeypatch.setattr(processes, "_limit", None)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(8), raising=False)
    for allowed, expected in ((None, 8), (2.5, 3), (0.5, 1), (99.0, 8)):
        monkeypatch.setattr(processes, "cores_allowed", lambda allowed=allowed: allowed)
        assert processes.num_cores() == expected
