"""Figures of tuned methods, which stand for several."""

from gamebench.evidence.exhibits import track_of
from gamebench.evidence.methods import Tuned
from tests.evidence.made_up import A, B, C, of


def test_a_tuned_method_is_the_best_of_its_grid():
    """The best by final value, averaged over seeds; unknown if any run is missing."""
    evidence = of({"A": [[1, 0.1], [1, 0.4]], "B": [[1, 0.2], [1, 0.2]], "C": [[1, 0.0], [1, 0.9]]})
    tuned = Tuned("tuned", (A, B, C))
    track = track_of("Kuhn", tuned, "NashConv", evidence)
    assert (track.method, track.about, track.ends.tolist()) == ("tuned", "B", [0.2, 0.2])
    assert track_of("Kuhn", tuned, "NashConv", evidence.without([("Kuhn", C.key, seed) for seed in (0, 1)])) is None
