"""Folders of results to make pages of."""

import base64

import numpy as np

import gamebench as gb

WICKED = "<script>alert(1)</script>&amp;'.nfg"
CLAIMS = [
    {
        "name": "C1",
        "statement": "CFR+ <b>wins</b> in Kuhn",
        "where": "Table 1",
        "test": "least NashConv",
        "measured": "0.1 < 0.2",
        "verdict": "holds",
    },
    {"name": "C2", "statement": "GMD wins", "where": "", "test": "", "measured": "0.3", "verdict": "fails"},
]
NORMAL_FORM = 'NFG 1 R "coordination" { "A" "B" } { 2 2 }\n\n2 1 0 0 0 0 1 2\n'


def make_store(folder):
    """Two games of the paper, one of OpenSpiel and one in a file with a wicked name; CMD with two seeds."""
    file = folder / WICKED.replace("/", "\u2215")
    file.write_text(NORMAL_FORM)
    sweep = {
        "games": ["Leduc", "MCCKuhn-A", "kuhn_poker", str(file)],
        "algorithms": ["CFR+", "CMD", "GMD", {"algorithm": "GMD", "set": {"convex": "x^2"}}],
        "measures": ["NashConv", "SocialWelfare"],
        "iterations": 20,
        "seeds": 2,
    }
    return gb.sweep(sweep, folder / "store", executor="serial").store, file.name


def stored_mean(frame, game, method, column):
    """The mean of the stored values over seeds, computed independently of the page, and the number of seeds."""
    frame = frame[frame["game"] == game]
    algorithm, _, setting = method.partition(" ")
    frame = frame[frame["algorithm"] == algorithm]
    if algorithm == "GMD":
        frame = frame[frame["params.convex"] == (setting.partition("=")[2] or "x ln x")]
    seeds = [part[column].to_numpy(dtype=np.float64) for _, part in frame.groupby("run")]
    return np.mean(seeds, axis=0), len(seeds)


def unpacked(text):
    """The numbers of a packed array of the page."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8")
