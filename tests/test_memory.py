"""Free memory: the least of what the machine, a container and the limits of the process leave."""

import resource
import subprocess
import sys

import pytest

from gamebench import containers, memory


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files of the system that a test may write."""
    info, groups, root = tmp_path / "info", tmp_path / "groups", tmp_path / "root"
    info.write_text("MemTotal:       2000 kB\nMemAvailable:     1000 kB\n")
    for version in (root, root / "memory"):
        (version / "job" / "step").mkdir(parents=True)
    monkeypatch.setattr(memory, "MEMORY_INFO", info)
    monkeypatch.setattr(containers, "MEMBERSHIP", groups)
    monkeypatch.setattr(containers, "MOUNTED", root)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return info, groups, root


def test_of_the_machine(files):
    assert memory.free_memory() == 1000 * 1024
    files[0].unlink()
    assert memory.free_memory() > 2**20  # half of all there is


VERSIONS = [
    ("0::/job/step\n", "memory.max", "memory.current", "inactive_file"),
    (
        "9:cpu:/\n4:hugetlb,memory:/job/step\n",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
]


@pytest.mark.parametrize(("groups", "limit", "used", "inactive"), VERSIONS, ids=["second version", "first version"])
def test_of_a_container_and_what_is_around_it(files, groups, limit, used, inactive):
    _, file, root = files
    file.write_text(groups)
    root = root if limit == "memory.max" else root / "memory"
    for folder, limited_to, taken, idle in ((root / "job" / "step", 5000, 2500, 500), (root / "job", 7000, 4500, 0)):
        (folder / limit).write_text(f"{limited_to}\n")
        (folder / used).write_text(f"{taken}\n")
        (folder / "memory.stat").write_text(f"{inactive.removeprefix('total_')}x 7\n{inactive} {idle}\n")
    assert memory.free_memory() == 2500  # of the job
    (root / "job" / used).write_text("1000\n")
    assert memory.free_memory() == 3000  # of the step, whose idle pages count as free
    (root / "job" / "step" / limit).write_text("max\n")
    assert memory.free_memory() == 6000
    (root / "job" / used).write_text("8000\n")
    assert memory.free_memory() == 0
    file.unlink()
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
