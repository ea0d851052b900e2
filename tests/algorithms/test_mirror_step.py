"""The mirror step against 60-digit arithmetic, and against properties of the solution for any psi.

All differences are absolute: a probability is compared with a probability. Scores enter as the exact numbers that they
are, so a solution is well defined even where the last digit of a score decides about a probability.
"""

import math
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import softmax, wrightomega

from gamebench import mirror_step
from gamebench.algorithms.descent.convex import parse_convex
from gamebench.core.errors import ConvexError, SettingError, UnknownNameError
from tests.helpers import refuses
from tests.oracles import naive_learning as oracle
from tests.patience import HANG

TOLERANCE = 1e-12
ROUNDING = 1e-14  # what makes the sum 1 is added to one of the best actions, so that equal scores may differ by this
POWERS = [("x^n", n) for n in (1.01, 1.05, 1.5, 1.9, 2, 2.1, 3, 4, 10)]
ROOTS = [("-x^n", n) for n in (0.01, 0.1, 0.5, 0.9, 0.99)]
EXPONENTIALS = [("e^(kx)", k) for k in (0.01, 0.1, 1, 2, 5, 20, 100)]
PSIS = [("x ln x", None), *POWERS, *ROOTS, *EXPONENTIALS, ("-ln x", None)]
SLOW_FOR_THE_ORACLE = [("x^n", 20)]
KINDS = ("range 1e3", "range 1", "range 1e-3", "ties", "huge gaps", "fitting", "threshold", "shifted", "spread")
DERIVATIVES = {  # up to a constant, which keeps the digits of small x
    "x ln x": lambda x, c: np.log(x),
    "x^n": lambda x, n: n * x ** (n - 1),
    "-x^n": lambda x, n: -n * x ** (n - 1),
    "e^(kx)": lambda x, k: k * np.expm1(k * x),
    "-ln x": lambda x, c: -1 / x,
}
INVERSES = {
    "x ln x": lambda y, c: np.exp(y),
    "x^n": lambda y, n: (np.maximum(y, 0) / n) ** (1 / (n - 1)),
    "-x^n": lambda y, n: (np.maximum(-y, 0) / n) ** (1 / (n - 1)),  # infinite for y >= 0
    "e^(kx)": lambda y, k: np.log1p(np.maximum(y, 0) / k) / k,
    "-ln x": lambda y, c: 1 / np.maximum(-y, 0),
}


def formula(psi):
    return psi[0].replace("n", str(psi[1])).replace("k", str(psi[1])) if psi[1] else psi[0]


def seeded(*key):
    return np.random.default_rng(list(repr(key).encode()))


def make_case(rng, psi, kind, most=20):
    """Scores, scale and epsilon; "threshold", "shifted" and "spread" start from the probabilities that they lead to."""
    psi_prime, c, n, scale = DERIVATIVES[psi[0]], psi[1], int(rng.integers(2, most + 1)), 10 ** rng.uniform(-6, 1)
    epsilon = float(rng.choice([1e-10, 1e-10, 1e-6, 1e-3, 1e-2, 0.5 / n]))
    if kind.startswith("range"):
        return rng.uniform(-1, 1, n) * float(kind[6:]), scale, epsilon
    if kind == "huge gaps":
        return rng.choice([-1e3, 0, 1e3], n) + rng.uniform(-1, 1, n) * scale, scale, epsilon
    if kind in ("ties", "fitting"):  # fitting: several actions share the probability
        width = scale * abs(psi_prime(1.0, c) - psi_prime(1 / n, c)) * 10 ** rng.uniform(-2, 2)
        scores = rng.uniform(-width, width, n)
        return (scores if kind == "fitting" else rng.choice(scores[:3], n)), scale, epsilon
    if kind == "spread":
        x = 10 ** rng.uniform(math.log10(epsilon), 0, n)
        x /= x.sum()
    else:
        x = np.maximum(epsilon, rng.dirichlet(np.full(n, 10 ** rng.uniform(-1, 1))))
        near = slice(0, rng.integers(1, n))
        x[near] = epsilon * (1 + rng.choice([-1, 1], n) * 10 ** rng.uniform(-17, -1, n))[near]
    x[np.argmax(x)] += 1 - x.sum()
    return scale * psi_prime(x, c) + (rng.uniform(-1e3, 1e3) if kind == "shifted" else 0), scale, epsilon


def kkt_residual(psi, scores, scale, epsilon, pi):
    """How far pi is from max(epsilon, psi'^-1((A - lambda) / B)), with the best lambda that an entry of it tells."""
    name, c = psi
    with np.errstate(over="ignore", divide="ignore"):
        x = INVERSES[name](DERIVATIVES[name](pi, c)[:, None] + (scores[None, :] - scores[:, None]) / scale, c)
    return np.abs(np.maximum(epsilon, x) - pi).max(axis=1).min()


def check(psi, scores, scale, epsilon, expected=None):
    pi = mirror_step(scores, scale, formula(psi), epsilon=epsilon)
    excesses = {  # by how much each quantity is beyond what is allowed
        "distance from the oracle": (0 if expected is None else np.abs(pi - expected).max()) - TOLERANCE,
        "sum": abs(math.fsum(pi) - 1) - TOLERANCE,
        "bound": epsilon - pi.min(),
        "order": -np.diff(pi[np.argsort(scores, kind="stable")]).min() - ROUNDING,
        "conditions of optimality": kkt_residual(psi, scores, scale, epsilon, pi) - TOLERANCE,
    }
    wrong = {what: excess for what, excess in excesses.items() if not excess <= 0}
    assert not wrong, f"{wrong}: ({scores.tolist()}, {scale}, {formula(psi)!r}, epsilon={epsilon}) gives {pi.tolist()}"
    return pi


def by_oracle(solve, psi, scores, scale, epsilon):
    return np.array([float(p) for p in solve(*psi, scores.tolist(), scale, epsilon)[0]])


def test_the_search_ends_where_rounding_moves_a_probability_to_and_fro_across_epsilon():
    """In a separate process, because an endless search cannot be interrupted."""
    code = """from gamebench import mirror_step
mirror_step([-3.4011973816621555, -3.401197381662155, -0.06899287148695142], epsilon=1 / 30)
mirror_step([0.06666666666666665, 0.06666666666666668, 1.8666666666666665], convex="x^2", epsilon=1 / 30)"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG)


def test_exact_step_against_oracle():
    for psi, kind in product([*PSIS, *SLOW_FOR_THE_ORACLE], KINDS):
        case = make_case(seeded(psi, kind), psi, kind, most=8 if psi in SLOW_FOR_THE_ORACLE else 12)
        check(psi, *case, by_oracle(oracle.solve_exact, psi, *case))


def test_exact_step_meets_its_conditions():
    for psi, kind in product([*PSIS, *SLOW_FOR_THE_ORACLE], KINDS):
        rng = seeded(psi, kind, "conditions")
        for _ in range(30 if kind in KINDS[-3:] else 10):
            check(psi, *make_case(rng, psi, kind))


def test_a_thousand_actions():
    for psi in [("x ln x", None), ("x^n", 1.5), ("x^n", 3), ("-x^n", 0.5), ("e^(kx)", 2)]:
        case = seeded(psi, 1000).uniform(-1e3, 1e3, 1000), 10.0 if psi[0] == "x ln x" else 1e-3, 1e-10
        check(psi, *case, by_oracle(oracle.solve_exact, psi, *case))


GRID = 2.0**-20
ON_GRID = st.integers(-(2**30), 2**30) | st.integers(-8, 8) | st.integers(-(2**10), 2**10).map(lambda i: i * 2**20)


@settings(max_examples=150)
@given(
    psi=st.sampled_from([*PSIS, *SLOW_FOR_THE_ORACLE]),
    numbers=st.lists(ON_GRID, min_size=2, max_size=20),
    shift=ON_GRID,
    exponent=st.floats(-6, 1),
    epsilon=st.sampled_from([1e-10, 1e-6, 1e-3, 1e-2]),
    data=st.data(),
)
def test_symmetries(psi, numbers, shift, exponent, epsilon, data):
    """On a grid of 2^-20 adding a constant is exact, so that it must change nothing but the last digits."""
    scores, scale = GRID * np.array(numbers, dtype=float), 10.0**exponent
    pi = check(psi, scores, scale, epsilon)
    assert np.abs(check(psi, scores + GRID * shift, scale, epsilon) - pi).max() <= TOLERANCE
    permutation = data.draw(st.permutations(range(len(numbers))))
    assert np.abs(check(psi, scores[permutation], scale, epsilon) - pi[permutation]).max() <= TOLERANCE


def euclidean_projection(point, epsilon):
    """The nearest point of {pi >= epsilon, sum pi = 1}, by sorting."""
    ordered = np.sort(point)[::-1]
    thresholds = (np.cumsum(ordered) - 1 + epsilon * len(point)) / np.arange(1, len(point) + 1)
    return epsilon + np.maximum(0, point - thresholds[np.flatnonzero(ordered > thresholds)[-1]])


def test_square_is_the_euclidean_projection():
    for kind in KINDS:
        rng = seeded("Euclid", kind)
        for _ in range(50):
            scores, scale, epsilon = make_case(rng, ("x^n", 2), kind)
            expected = euclidean_projection((scores - scores.max()) / (2 * scale), epsilon)
            assert np.abs(mirror_step(scores, scale, "x^2", epsilon=epsilon) - expected).max() <= TOLERANCE, kind


def test_entropy_is_softmax_where_no_probability_is_cut():
    rng = seeded("softmax")
    for _ in range(200):
        scale = 10 ** rng.uniform(-6, 1)
        scores = rng.uniform(-9, 9, rng.integers(2, 20)) * scale + rng.uniform(-1, 1)
        assert np.abs(mirror_step(scores, scale) - softmax((scores - scores.max()) / scale)).max() <= 1e-15


# The table of a user's psi' has steps of h = ln(1 / epsilon) / 16384 in ln x. The cubic between two entries is off by
# h^4 / 384 times the fourth derivative; for x^m that is a relative error of h^4 m^3 / 384 in x, 1e-14 m^3 at 1e-10.
# Rounding of the table adds to it, most where psi' is nearly flat: that is why large powers are the worst.
OWN = {
    "ln x + 1": (lambda x: np.log(x) + 1, ("x ln x", None), 5e-15),
    "scalars only": (lambda x: math.log(x) + 1, ("x ln x", None), 5e-15),
    "-1 / x": (lambda x: -1 / x, ("-ln x", None), 1e-14),
    "2x": (lambda x: 2 * x, ("x^n", 2), 2e-13),
    "e^x - 1": (np.expm1, ("e^(kx)", 1), 2e-13),
    "3x^2": (lambda x: 3 * x * x, ("x^n", 3), 2e-12),
    "10x^9": (lambda x: 10 * x**9, ("x^n", 10), 1e-10),
}


def test_own_derivative_agrees_with_the_built_in_function():
    for (name, (own, psi, tolerance)), epsilon in product(OWN.items(), (1e-10, 1e-3)):
        rng = seeded("own", name)
        for kind in KINDS[:6] * 3:
            scores, scale, _ = make_case(rng, psi, kind)
            pi = mirror_step(scores, scale, own, epsilon=epsilon)
            assert pi.min() >= epsilon, name
            assert abs(math.fsum(pi) - 1) <= TOLERANCE, name
            assert np.abs(pi - mirror_step(scores, scale, formula(psi), epsilon=epsilon)).max() <= tolerance, name


def test_own_derivative_that_is_not_built_in():
    """2x + 0.3 ln x = y has the solution 0.15 omega(y / 0.3 - ln 0.15), with Wright's function omega."""

    def own(x):
        return 2 * x + 0.3 * np.log(x)

    def policy(p, gaps):
        return np.maximum(1e-10, 0.15 * wrightomega((own(p) - gaps) / 0.3 - math.log(0.15)))

    rng = seeded("mixed")
    for _ in range(60):
        scale = 2.0 ** rng.integers(-20, 4)  # so that the gaps are exact
        gaps = np.append(0, rng.uniform(0, 10 ** rng.uniform(-1, 1.5), rng.integers(1, 12)))
        p = brentq(lambda p, gaps: policy(p, gaps).sum() - 1, 1e-3, 1, (gaps,), xtol=1e-16, rtol=1e-15)
        assert np.abs(mirror_step(-scale * gaps, scale, own) - policy(p, gaps)).max() <= 1e-14


def test_clip_against_oracle():
    for psi, kind in product([psi for psi in PSIS if psi[1] != 100], KINDS):
        scores, scale, epsilon = make_case(seeded(psi, kind, "clip"), psi, kind, most=12)
        pi = mirror_step(scores, scale, formula(psi), epsilon=epsilon, projection="clip")
        error = np.abs(pi - by_oracle(oracle.solve_clip, psi, scores, scale, epsilon)).max()
        said = f"({scores.tolist()}, {scale}, {formula(psi)!r}, {epsilon}) gives {pi.tolist()}"
        assert error <= TOLERANCE, f"{error}: {said}"


def test_clip_without_a_solution_in_floating_point_is_exact():
    scores = seeded("wide").uniform(-1e3, 1e3, 100)
    with pytest.warns(RuntimeWarning, match="'clip' has no solution in floating point here; 'exact' is used"):
        clipped = mirror_step(scores, 1e-6, "e^x", projection="clip")
    np.testing.assert_array_equal(clipped, mirror_step(scores, 1e-6, "e^x"))


SPELLINGS = {
    "x ln x": ["x ln x", "X LN X", "xlnx", "x*ln(x)", "x log x"],
    "x^2": ["x^2", "x**2", "x ^ 2.0", "x^(2)"],
    "-x^0.5": ["-x^0.5", "-x^.5", "-x**0.5", "\N{MINUS SIGN}x^(0.5)"],
    "e^x": ["e^x", "exp(x)", "e^(x)", "e^(1x)"],
    "e^(2x)": ["e^(2x)", "exp(2x)", "exp(2*x)", "e^(2.0 x)"],
    "-ln x": ["-ln x", "-ln(x)", "-log x", "- LN x"],
}


def test_spellings():
    found = {name: {parse_convex(text).name for text in texts} for name, texts in SPELLINGS.items()}
    assert found == {name: {name} for name in SPELLINGS}


def test_what_is_no_convex_function():
    """For users' derivatives, the second entry is the check that fails."""
    for text, kind, message in [
        ("e^(-x)", UnknownNameError, r"no convex function called 'e\^\(-x\)'; did you mean 'e\^x'"),
        ("import os", UnknownNameError, "no convex function called 'import os'; available: x ln x, "),
        ("__import__('os')", UnknownNameError, "available: x ln x, "),
        (3, ConvexError, "A convex function is a formula such as 'x.2', or the derivative of one, not int"),
        (lambda x: -x, "convexity", "its derivative must rise, but goes from -1e-10 at x = 1e-10"),
        (lambda x: np.log(x - 0.5), "its domain", "its derivative must be finite .* but is nan at x = 1e-10"),
        (lambda x: 1 / (1 - x), "its domain", "its derivative must be finite .* but is inf at x = 1"),
        (lambda x: x + (x > 0.5), "its inverse", "the derivative must be smooth, but near x = 0.49.* a jump or a kink"),
        (lambda x: [][0], ConvexError, "'<lambda>' raised: IndexError: list index out of range"),
        (lambda x: np.ones(3), ConvexError, "'<lambda>' must return one number for each x"),
    ]:
        is_own = isinstance(kind, str)
        whole = f"'<lambda>' fails the check of {kind}: {message}" if is_own else message
        with pytest.raises(ConvexError if is_own else kind, match=whole):
            mirror_step([1.0, 0.0], convex=text)


BAD = {
    "scores": ([], 5.0, None, [[1, 2]], [1, math.nan], [1, math.inf], ["a", "b"], [[1], [1, 2]]),
    "scale": (0, -1, math.inf, math.nan, "1", 1e-310),
    "epsilon": (0, -1e-3, 0.26, math.nan, "x"),
    "projection": (None, 1),
}


def test_bad_arguments():
    for name, values in BAD.items():
        for value in values:
            refuses(SettingError, rf"^{name} must be [^\n]*\.$", mirror_step, **{"scores": [1, 2], name: value})
    with pytest.raises(UnknownNameError, match="no projection called 'neither'; available: exact, clip"):
        mirror_step([1, 2], projection="neither")
