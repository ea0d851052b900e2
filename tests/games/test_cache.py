"""The cache on disk: used when sound, rebuilt when not, never in the way."""

import errno
import hashlib
import json
import mmap
import os
import stat
from contextlib import contextmanager, nullcontext

import numpy as np
import pytest

import gamebench as gb
from gamebench import load
from gamebench.games import cache, mapped_arrays, openspiel
from gamebench.games.labels import Texts
from gamebench.games.mapped_arrays import load_mapped, save_mapped


@pytest.fixture
def walks(monkeypatch):
    """How many trees have been walked."""
    counted = []
    original = load.flatten

    def flatten(*args, **kwargs):
        counted.append(args[1])
        return original(*args, **kwargs)

    monkeypatch.setattr(load, "flatten", flatten)
    return counted


def test_a_game_is_walked_once(empty_cache, walks):
    first, second = gb.load_game("Kuhn"), gb.load_game("Kuhn")
    assert len(walks) == 1
    assert first.fingerprint == second.fingerprint
    assert first.labels == second.labels
    assert (first.num_histories, first.num_terminals) == (second.num_histories, second.num_terminals)
    assert first.max_abs_payoff == second.max_abs_payoff
    assert len(list(empty_cache.iterdir())) == 1


def test_one_variable_switches_it_off(tmp_path, monkeypatch, walks):
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    gb.load_game("Kuhn")
    gb.load_game("Kuhn")
    assert len(walks) == 2
    assert list(tmp_path.rglob("*")) == []


def damage_one_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


def replace_by_another_game(path):
    metadata, arrays = load_mapped(path)
    save_mapped(path, {**metadata, "key": "of another game"}, arrays)


def break_an_invariant_with_a_good_checksum(path):
    metadata, arrays = load_mapped(path)
    arrays["last_sequences"] = arrays["last_sequences"] + 1_000_000  # kernels would read far outside their arrays
    save_mapped(path, metadata, arrays)


def drop_an_array(path):
    metadata, arrays = load_mapped(path)
    arrays.pop("chance")
    save_mapped(path, metadata, arrays)


def change_an_array(path, name, change):
    metadata, arrays = load_mapped(path)
    save_mapped(path, metadata, {**arrays, name: change(arrays[name])})


def add_an_array(path):
    metadata, arrays = load_mapped(path)
    save_mapped(path, metadata, {**arrays, "more": np.zeros(3)})


def take_wide_indices(path):
    change_an_array(path, "parent_sequences", lambda array: array.astype(np.int64) + 2**40)


def put_a_negative_zero(path):
    change_an_array(path, "payoffs", lambda array: np.where(array == array[0, 0], -0.0, array))


def put_nan(path):
    change_an_array(path, "chance", lambda array: array * np.nan)


def move_the_names(path):
    change_an_array(path, "information_states starts", lambda array: array + 1)


def divide_a_character(path):
    change_an_array(path, "information_states buffer", lambda array: array | 0x80)


def name_unknown_actions(path):
    change_an_array(path, "action_codes", lambda array: array + 100)


def lose_a_name(path):
    change_an_array(path, "action_ids", lambda array: array[1:])


def lose_the_fingerprint(path):
    metadata, arrays = load_mapped(path)
    del metadata["fingerprint"]
    save_mapped(path, metadata, arrays)


def replace_by_directory(path):
    path.unlink()
    (path / "inside").mkdir(parents=True)


DAMAGES = [
    *(damage_one_byte, replace_by_another_game, break_an_invariant_with_a_good_checksum, drop_an_array, add_an_array),
    *(take_wide_indices, put_a_negative_zero, put_nan, move_the_names, divide_a_character, name_unknown_actions),
    *(lose_a_name, lose_the_fingerprint, replace_by_directory),
]


def test_a_damaged_or_foreign_file_is_rebuilt(empty_cache, walks, monkeypatch):
    before = gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    for mapped_from in (0, 2**60):  # whether files are mapped, or read
        monkeypatch.setattr(mapped_arrays, "MAPPED_FROM", mapped_from)
        for damage in DAMAGES:
            walks.clear()
            damage(path)
            for _ in range(2):
                assert gb.load_game("Kuhn").fingerprint == before.fingerprint
            assert len(walks) == 1, damage


def test_the_key_sees_the_version_of_open_spiel(empty_cache, walks, monkeypatch):
    gb.load_game("Kuhn")
    monkeypatch.setattr(openspiel, "open_spiel_version", lambda: "99.0")
    gb.load_game("Kuhn")
    assert len(walks) == 2


def test_the_key_sees_the_content_of_a_game_file(empty_cache, walks, tmp_path):
    import pyspiel

    path = tmp_path / "game.efg"
    path.write_text(pyspiel.get_sample_efg_data())
    before = gb.load_game(path)
    path.write_text(pyspiel.get_sample_efg_data().replace("10.000000", "11.000000"))
    assert gb.load_game(path).fingerprint != before.fingerprint
    assert len(walks) == 2


def test_the_key_sees_the_content_of_a_file_that_a_parameter_names(empty_cache, walks, tmp_path):
    instances = tmp_path / "instances.txt"
    instances.write_text("1,2,3 8,1,0 4,0,2\n")
    name = f"bargaining(max_turns=1,instances_file={instances})"
    before = gb.load_game(name)
    instances.write_text("1,2,3 4,0,2 8,1,0\n")
    assert gb.load_game(name).fingerprint != before.fingerprint
    assert len(walks) == 2


def test_a_game_written_in_python_is_not_cached(empty_cache, walks):
    """Its code may change while its name and OpenSpiel's version stay."""
    gb.load_game("python_kuhn_poker")
    gb.load_game("python_kuhn_poker")
    assert len(walks) == 2


@pytest.mark.parametrize("blocked", ["a file stands where the folder should be", "the folder cannot be written"])
def test_a_folder_that_cannot_be_written_costs_only_a_warning(tmp_path, monkeypatch, blocked):
    folder = tmp_path / "cache"
    if blocked.startswith("a file"):
        folder.write_text("in the way")
    else:
        folder.mkdir()
        monkeypatch.setattr("gamebench.files.os.fsync", _refuse)
    monkeypatch.setenv("GAMEBENCH_CACHE", str(folder))
    with pytest.warns(RuntimeWarning, match="GAMEBENCH_CACHE"):
        assert gb.load_game("Kuhn").num_decision_points == 48


def _refuse(_):
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("folder", ["~nobody-of-this-name/cache", "a" * 300])
def test_a_folder_that_cannot_exist_costs_at_most_a_warning(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAMEBENCH_CACHE", folder)
    told = pytest.warns(RuntimeWarning, match="GAMEBENCH_CACHE") if "~" not in folder else nullcontext()
    with told:
        assert gb.load_game("Kuhn").num_decision_points == 48


def test_a_damaged_file_that_cannot_be_removed_is_replaced_or_told(empty_cache, monkeypatch):
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    path.write_bytes(b"something else")
    monkeypatch.setattr(cache, "remove", lambda path: None)
    gb.load_game("Kuhn")
    assert path.stat().st_size > 1000
    path.write_bytes(b"something else")
    monkeypatch.setattr("gamebench.files.os.fsync", _refuse)
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        gb.load_game("Kuhn")


class AlmostFull:
    """A file on a disk that has room for some bytes only."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, content):
        self.file.write(bytes(content)[: self.room])
        self.room -= len(content)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_up_midway_costs_only_a_warning(empty_cache, monkeypatch):
    """The file is written part by part; wherever that ends, nothing is left behind, and the game is whole."""
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    size = path.stat().st_size
    path.unlink()
    original, rooms = mapped_arrays.replacing, [0, size // 100, size // 2, size - 100]

    @contextmanager
    def replacing(path):
        with original(path) as file:
            yield AlmostFull(file, rooms.pop())

    monkeypatch.setattr(mapped_arrays, "replacing", replacing)
    while rooms:
        with pytest.warns(RuntimeWarning, match=r"cannot be written \(No space left on device\)"):
            game = gb.load_game("Kuhn")
        assert list(empty_cache.iterdir()) == []
        assert independent_fingerprint(game) == game.fingerprint == gb.CATALOG["Kuhn"].fingerprint


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (MemoryError(), True),
        (OSError(errno.EMFILE, "Too many open files"), True),
        (RuntimeError("can't start new thread"), True),
        (OSError(errno.EIO, "Input/output error"), False),
        (RuntimeError("something else"), False),
    ],
    ids=str,
)
def test_whatever_the_reader_raises_costs_only_a_rebuild(empty_cache, walks, monkeypatch, error, is_kept):
    """What the process lacks for the moment does not cost the file, which may have taken minutes to make."""
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    before, original = path.stat().st_ino, cache.load_mapped
    kept = path.with_suffix(".link")  # so that the number of the file is not used again
    kept.hardlink_to(path)

    def fail_once(path):
        monkeypatch.setattr(cache, "load_mapped", original)
        raise error

    monkeypatch.setattr(cache, "load_mapped", fail_once)
    assert gb.load_game("Kuhn").fingerprint == gb.CATALOG["Kuhn"].fingerprint
    assert len(walks) == 2
    assert (path.stat().st_ino == before) == is_kept


def test_files_are_as_readable_as_any_other(empty_cache):
    gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_the_budget_holds_for_cached_games_too(empty_cache):
    gb.load_game("Kuhn")
    with pytest.raises(gb.GameTooLargeError, match="budget of 600"):
        gb.load_game("Kuhn", max_histories=600)


def test_a_game_inside_a_game(empty_cache, walks):
    name = "turn_based_simultaneous_game(game=goofspiel(players=2,num_cards=3,imp_info=True))"
    assert gb.load_game(name).fingerprint == gb.load_game(name).fingerprint
    assert len(walks) == 1


def test_a_parameter_too_long_for_a_file_name(empty_cache):
    payoffs = ";".join(["10"] * 100)
    game = gb.load_game(f"tiny_hanabi(num_players=2,num_chance=2,num_actions=5,payoff={payoffs})")
    assert game.num_terminals == 100


def independent_fingerprint(game):
    """The digest of the arrays and of the JSON of all names, made of one large text."""
    digest = hashlib.sha256()
    for array in game.tree.arrays().values():
        digest.update(repr(array.shape).encode() + array.tobytes())
    names = [list(game.labels.information_states), list(game.labels.actions), list(game.labels.action_ids)]
    digest.update(json.dumps([game.teams, *names]).encode())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("name", ["Kuhn", "Leduc", "MCCKuhn-A", "TradeComm", "liars_dice(dice_sides=4)"])
def test_the_stored_fingerprint_is_that_of_the_content(empty_cache, walks, name):
    first, second = gb.load_game(name), gb.load_game(name)
    assert len(walks) == 1
    assert first.fingerprint == second.fingerprint == independent_fingerprint(second)
    if name in gb.CATALOG:
        assert second.fingerprint == gb.CATALOG[name].fingerprint
        assert gb.with_focal(second, 0).fingerprint == independent_fingerprint(gb.with_focal(second, 0))


def test_a_walked_game_and_a_cached_one_are_in_the_same_state(empty_cache, walks, monkeypatch):
    monkeypatch.setattr(mapped_arrays, "MAPPED_FROM", 0)
    for game in (gb.load_game("leduc_poker"), gb.load_game("leduc_poker")):
        bases = [array.base for array in (*game.tree.arrays().values(), game.labels.information_states.buffer)]
        assert {type(base) for base in bases} == {mmap.mmap}
        assert vars(game)["fingerprint"] == "78a7fac985cbd94b"
        for array in game.tree.arrays().values():
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True
    assert len(walks) == 1


def test_a_mapped_game_outlives_its_file(empty_cache, monkeypatch):
    monkeypatch.setattr(mapped_arrays, "MAPPED_FROM", 0)
    game, expected = gb.load_game("Kuhn"), gb.load_game("Kuhn-A").fingerprint
    for path in empty_cache.iterdir():
        path.unlink()
    assert independent_fingerprint(game) == gb.CATALOG["Kuhn"].fingerprint
    assert gb.load_game("Kuhn-A").fingerprint == expected


def test_a_file_of_another_process_is_kept(empty_cache, monkeypatch):
    """That process may have mapped it."""
    original = load.flatten

    def flatten(*args, **kwargs):
        game = original(*args, **kwargs)
        cache.write(cache.path_of(openspiel.ingredients(args[0], game.source)), game)
        [path] = empty_cache.iterdir()
        numbers.append(path.stat().st_ino)
        return game

    numbers = []
    monkeypatch.setattr(load, "flatten", flatten)
    gb.load_game("kuhn_poker")
    [path] = empty_cache.iterdir()
    assert [path.stat().st_ino] == numbers


def test_names_are_not_read_by_loading_solving_and_measuring(empty_cache, monkeypatch):
    gb.load_game("leduc_poker")
    original = Texts.some

    def some(texts, begin, end):
        assert len(texts) < 10, "an information state is decoded"  # the table of action names has three
        return original(texts, begin, end)

    monkeypatch.setattr(Texts, "some", some)
    monkeypatch.setattr(gb.Game, "decision_points", None)
    monkeypatch.setattr(load, "flatten", None)
    game = gb.load_game("leduc_poker")
    result = gb.solve(game, "CFR", 10)
    assert gb.evaluate(game, result.policy, "NashConv") == result.curve.last["NashConv"]
    assert game.category == "zero-sum"
    with pytest.raises(AssertionError, match="decoded"):
        game.labels.information_states[0]
