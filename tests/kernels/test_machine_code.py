"""Machine code on disk: used when sound, compiled again when not, and never a reason to fail."""

import errno
import os
import shutil
import subprocess
import sys

import pytest

from gamebench.kernels import compiling, machine_code
from gamebench.system.files import write_atomically

KERNELS = """
from gamebench.kernels.compiling import announced_with, compiled, internal

@internal
def twice(x):
    return 2 * x

@compiled
def answer(x):
    return twice(x) + 2
"""
SCRIPT = """
from my_kernels import announced_with, answer
with announced_with(print):
    print(answer(20))
"""
COMPILES = "Compiling GameBench's kernels"


def process(home):
    """Output of a new process that runs the kernel ``answer``; it must not fail."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(home / "cache"), "PYTHONPATH": str(home)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    *told, number = done.stdout.splitlines()
    assert number == "42"
    return told


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with two kernels and the cache that a process has created for them."""
    home = tmp_path_factory.mktemp("made")
    (home / "my_kernels.py").write_text(KERNELS)
    [told] = process(home)
    assert told.startswith(COMPILES)
    return home


@pytest.fixture
def home(made, tmp_path):
    """A copy that tests may damage."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def files_of(home):
    return sorted((home / "cache").rglob(f"*{machine_code.SUFFIX}"))


def flip_bits(path):
    content = bytearray(path.read_bytes())
    for position in range(len(content) // 4, len(content), 97):
        content[position] ^= 0x10
    path.write_bytes(content)


def replace_by_directory(path):
    path.unlink()
    (path / "inside").mkdir(parents=True)


def replace_by_pipe(path):
    path.unlink()
    os.mkfifo(path)


def replace_by_something_huge(path):
    with path.open("r+b") as file:
        file.truncate(2**40)  # takes no space on the disk


def replace_by_another_kernel(path):
    shutil.copy(max(path.parent.iterdir()), path)


DAMAGES = {
    "nothing in it": lambda path: path.write_bytes(b""),
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "some bits": flip_bits,
    "no pickle, with a good checksum": lambda path: machine_code.write_sealed(path, b"not a pickle"),
    "a directory": replace_by_directory,
    "a pipe": replace_by_pipe,
    "a huge file": replace_by_something_huge,
    "another kernel": replace_by_another_kernel,
}


def test_a_process_survives_damaged_machine_code_and_compiles_what_has_changed(home):
    """With one kind of damage; all of them are tested within one process below."""
    assert len(files_of(home)) == 2
    for path in files_of(home):
        flip_bits(path)
    damaged, compiled = process(home)
    assert damaged.startswith("Some of the machine code in ")
    assert damaged.endswith(" is damaged; it is removed and compiled again.")
    assert compiled.startswith(COMPILES)
    (home / "my_kernels.py").write_text(KERNELS.replace("+ 2", "+ 1 + 1"))
    [told] = process(home)
    assert told.startswith(COMPILES)


# Within one process, where every newly created kernel looks for its machine code on disk


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A folder for the machine code of kernels created within the test, and the messages about it."""
    told = []
    monkeypatch.setattr(compiling, "FOLDER", str(tmp_path / "kept"))
    compiling._tell_once.cache_clear()
    with compiling.announced_with(lambda message: message.startswith(COMPILES) or told.append(message)):
        yield tmp_path / "kept", told
    compiling._tell_once.cache_clear()


def make_kernels():
    return [compiling.compiled(plus_one), compiling.compiled(plus_two)]


def plus_one(x):
    return x + 1


def plus_two(x):
    return x + 2


def call_kernels():
    """Check what both kernels compute, and return how many of them were found on disk."""
    kernels = make_kernels()
    assert [kernel(1) for kernel in kernels] == [2, 3]
    return sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels)


def test_damage_is_reported_once_and_repaired(kept):
    folder, told = kept
    assert [call_kernels(), call_kernels()] == [0, 2]
    for what, damage in DAMAGES.items():
        damage(min(folder.iterdir()))
        assert call_kernels() == 1, what
        assert told == [f"Some of the machine code in {folder} is damaged; it is removed and compiled again."]
        assert call_kernels() == 2, what


def test_what_is_missing_is_compiled_silently(kept):
    folder, told = kept
    call_kernels()
    min(folder.iterdir()).unlink()
    assert [call_kernels(), call_kernels()] == [1, 2]
    one, other = make_kernels()
    shutil.rmtree(folder)  # it is created again
    assert (one(1), other(1)) == (2, 3)
    assert len(list(folder.iterdir())) == 2
    assert told == []


# Writing


def test_a_folder_that_cannot_be_written_is_reported_once_and_does_no_harm(kept, monkeypatch):
    folder, told = kept

    def fill_the_disk(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("gamebench.system.files.os.fsync", fill_the_disk)
    assert call_kernels() == 0
    assert list(folder.iterdir()) == []
    assert told == [
        f"Machine code cannot be kept in {folder} (No space left on device), so every process compiles it again."
    ]


def test_a_file_that_may_not_be_read_or_removed(kept, monkeypatch):
    _, told = kept
    call_kernels()

    def forbid(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(compiling, "read_sealed", forbid)
    monkeypatch.setattr("gamebench.system.files.Path.unlink", forbid)
    monkeypatch.setattr("gamebench.system.files.os.fsync", forbid)
    assert call_kernels() == 0
    assert [sentence.split(" in ")[0] for sentence in told] == [
        "Some of the machine code",
        "Machine code cannot be kept",
    ]


def test_a_kernel_without_a_source_file_is_compiled_in_memory(kept):
    namespace = {}
    exec("def add_three(x):\n    return x + 3", namespace)
    assert compiling.compiled(namespace["add_three"])(1) == 4
    assert not kept[0].exists()


def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path):
    """Writers move complete files into place from unique names, so that several processes can write at once."""
    path = tmp_path / f"kernel{machine_code.SUFFIX}"
    machine_code.write_sealed(path, b"old")
    with path.open("rb") as reader:
        machine_code.write_sealed(path, b"new")
        assert reader.read().endswith(b"old")
    assert machine_code.read_sealed(path) == b"new"
    write_atomically(path, path.read_bytes() + b"more")
    with pytest.raises(machine_code.DamagedFileError):
        machine_code.read_sealed(path)


def test_a_link_is_not_machine_code_wherever_it_leads(tmp_path):
    sound, link = tmp_path / "sound.machinecode", tmp_path / "link.machinecode"
    machine_code.write_sealed(sound, b"code")
    for target in (sound, tmp_path / "no folder" / "file"):
        link.symlink_to(target)
        with pytest.raises(machine_code.DamagedFileError, match="not a file of machine code"):
            machine_code.read_sealed(link)
        link.unlink()
