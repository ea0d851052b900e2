"""Methods of the experiments: their points, seeds and keys."""

from gamebench.evidence.experiments import CFR, CMD, FOR_WELFARE, SWINGING_WELFARE
from gamebench.evidence.methods import Method, Scale

SCALE = Scale(iterations=100, seeds=3)


def test_a_dense_method_has_more_points_in_the_second_half_and_more_seeds():
    dense = Method("dense", tail_points=11, repeats=4)
    assert SCALE.points_of(CMD, "Kuhn") == SCALE.points
    assert SCALE.points_of(dense, "Kuhn") == sorted({*SCALE.points, *range(50, 101, 5)})
    assert [SCALE.seeds_of(method) for method in (CMD, CFR, dense)] == [3, 1, 12]
    specs = list(SCALE.runs("Kuhn", dense))
    assert [spec.seed for spec in specs] == list(range(12))
    assert {spec.checkpoints for spec in specs} == {tuple(SCALE.points_of(dense, "Kuhn"))}


def test_dense_runs_are_told_from_others():
    assert SWINGING_WELFARE.key != FOR_WELFARE.key
    assert Method("CMD", tail_points=5).key != Method("CMD", tail_points=6).key != Method("CMD", repeats=2).key
    assert CMD.key == '["CMD", {}, []]'  # as in the shipped index


def test_few_iterations_have_few_points():
    assert Scale(iterations=3, seeds=1).points_of(SWINGING_WELFARE, "Battleship") == [0, 1, 2, 3]
