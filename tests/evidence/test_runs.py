"""Evidence from a folder: each track is made once, and again when runs are added."""

from gamebench.evidence.experiments import CMD
from gamebench.evidence.methods import Scale
from gamebench.evidence.runs import StoreEvidence
from gamebench.experiments.executors import SerialExecutor
from gamebench.experiments.perform import Options
from gamebench.experiments.store import Store


def test_a_track_is_made_once_for_the_runs_that_are_there(tmp_path):
    evidence = StoreEvidence(Store(tmp_path, create=True), Scale(iterations=4, seeds=2))
    assert evidence.track("Kuhn", CMD, "NashConv") is None
    first, second = evidence.plans("Kuhn", CMD)
    for plan, seeds in ((first, (0,)), (second, (0, 1))):
        SerialExecutor().execute([plan], evidence.store, Options(), lambda event: None)
        track = evidence.track("Kuhn", CMD, "NashConv")
        assert track.seeds == seeds
        assert evidence.track("Kuhn", CMD, "NashConv") is track
    named = evidence.track("Kuhn", CMD, "NashConv", label="tuned", about="best")
    assert (named.method, named.about, track.method) == ("tuned", "best", "CMD")
