"""The cache on disk: used when sound, rebuilt when not, never in the way."""

import errno
import os
import stat

import numpy as np
import pytest

import gamebench as gb
from gamebench import load
from gamebench.games import cache, openspiel
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


def damage_by_cutting(path):
    path.write_bytes(path.read_bytes()[:1000])


def damage_one_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


def damage_by_emptying(path):
    path.write_bytes(b"")


def replace_by_text(path):
    path.write_text("this is not a game")


def replace_by_pickle(path):
    with path.open("wb") as file:
        np.save(file, np.array([{"not": "a game"}], dtype=object), allow_pickle=True)


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


def replace_by_directory(path):
    path.unlink()
    (path / "inside").mkdir(parents=True)


def replace_by_something_huge(path):
    with path.open("r+b") as file:
        file.truncate(2**40)  # takes no room on the disk


@pytest.mark.parametrize(
    "damage",
    [
        damage_by_cutting,
        damage_one_byte,
        damage_by_emptying,
        replace_by_text,
        replace_by_pickle,
        replace_by_another_game,
        break_an_invariant_with_a_good_checksum,
        drop_an_array,
        replace_by_directory,
        replace_by_something_huge,
    ],
)
def test_a_damaged_or_foreign_file_is_rebuilt(empty_cache, walks, damage):
    before = gb.load_game("Kuhn")
    [path] = empty_cache.iterdir()
    damage(path)
    assert gb.load_game("Kuhn").fingerprint == before.fingerprint
    assert len(walks) == 2
    assert gb.load_game("Kuhn").fingerprint == before.fingerprint
    assert len(walks) == 2


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


def test_a_full_disk_costs_only_a_warning_and_leaves_nothing_behind(empty_cache, monkeypatch):
    def fill_the_disk(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("gamebench.files.os.fsync", fill_the_disk)
    with pytest.warns(RuntimeWarning, match=r"cannot be written \(No space left on device\)"):
        assert gb.load_game("Kuhn").num_decision_points == 48
    assert list(empty_cache.iterdir()) == []


def test_whatever_the_reader_raises_costs_only_a_rebuild(empty_cache, walks, monkeypatch):
    gb.load_game("Kuhn")

    def run_out_of_memory(_):
        raise MemoryError

    monkeypatch.setattr(cache, "load_mapped", run_out_of_memory)
    assert gb.load_game("Kuhn").num_decision_points == 48
    assert len(walks) == 2


def test_repair_removes_damaged_games_and_nothing_of_the_user_s(empty_cache):
    gb.load_game("Kuhn")
    [sound] = empty_cache.iterdir()
    for suffix in (cache.SUFFIX, ".npz"):  # a game, and an archive of an earlier version or of a security level
        (empty_cache / f"{'0' * 64}{suffix}").write_bytes(b"damaged")
        (empty_cache / f"results{suffix}").write_bytes(b"not ours")
    assert cache.repair(empty_cache) == (1, 2, [])
    assert {path.name for path in empty_cache.iterdir()} == {sound.name, "results.npz", "results.game"}


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


def test_every_flip_of_a_byte_is_noticed(empty_cache):
    name = "turn_based_simultaneous_game(game=matrix_mp())"
    game = gb.load_game(name)
    [path] = empty_cache.iterdir()
    sound = path.read_bytes()
    from gamebench.files import DamagedFileError

    expected = load_mapped(path)
    for position in range(len(sound)):
        path.write_bytes(sound[:position] + bytes([sound[position] ^ 0x09]) + sound[position + 1 :])
        try:
            metadata, arrays = load_mapped(path)
        except DamagedFileError:
            continue
        assert metadata == expected[0]
        assert all(np.array_equal(arrays[name], expected[1][name]) for name in expected[1])
    assert gb.load_game(name).fingerprint == game.fingerprint
