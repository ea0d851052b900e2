"""The experiments of the paper, and ours, as data: games, methods and exhibits.

The exhibits determine the runs. A run that several experiments share is done only once.
"""

from __future__ import annotations

from dataclasses import dataclass

from gamebench.core.registry import Registry
from gamebench.evidence.exhibits import ConvexFunctions, Curves, Ends, Figure, Stacked, Standings, Table, Weights
from gamebench.evidence.methods import COORDINATED, FIELD, GAMES, Method, PerGame, Tuned, games_of
from gamebench.games.catalogue import PAPER_GAMES
from gamebench.games.game import Category


@dataclass(frozen=True)
class Experiment:
    """An experiment of the paper, or one of ours."""

    name: str
    title: str
    where: str
    """Figure, table or section of the paper."""
    exhibits: tuple[Figure | Table | Standings | Ends, ...]


# --- the methods -----------------------------------------------------------------------------------------------------
CMD, GMD = Method("CMD"), Method("GMD", "GMD")
MMD_KL, MMD_EU = Method("MMD-KL", "MMD-KL"), Method("MMD-EU", "MMD-EU")
CFR, CFR_PLUS = Method("CFR", "CFR"), Method("CFR+", "CFR+")
SIX = (CMD, GMD, MMD_KL, MMD_EU, CFR, CFR_PLUS)
HEURISTICS = (CMD, GMD, Method("GMD(LD)", "GMD(LD)"), Method("GMD(ISR)", "GMD(ISR)"))

CONTROLLER_NAMES = ("RS", "DGLDS", "GLDS", "GLD")
CONVEX_NAMES = ("x^2", "-x^0.1", "e^x", "-ln x")
HISTORIES, RADII = (1, 3, 5), (0.01, 0.05)


def controllers(base: Method) -> tuple[Method, ...]:
    """Return a method with DRS, the default, and with each other controller."""
    usual = Method("DRS", base.algorithm, base.settings, like="CMD", measured=base.measured)
    return usual, *(base.with_settings(name, controller=name) for name in CONTROLLER_NAMES)


def divergences(base: Method) -> tuple[Method, ...]:
    """Return a method with ``x ln x``, the default, and with other convex functions."""
    usual = Method("x ln x", base.algorithm, base.settings, like="CMD", measured=base.measured)
    return usual, *(base.with_settings(name, convex=name) for name in CONVEX_NAMES)


def magnets(base: Method) -> tuple[Method, ...]:
    """Return a method with the moving magnet, with none, and with one fixed at the initial policy."""
    none = base.with_settings("CMD w/o magnet", magnet="none")
    return base, none, base.with_settings("CMD initial magnet", magnet="initial")


def histories(base: Method) -> tuple[Method, ...]:
    """Return a method with every length M of the history and every radius mu."""
    return tuple(base.with_settings(f"M={m}, mu={mu:g}", history=m, radius=mu) for m in HISTORIES for mu in RADII)


_CCE = ("CCEGap", "CCEGap(average)")
CCE_GAMES = ("Kuhn", "Goofspiel")
CCE_CMD = Method("CMD", "CMD", {"objective": "CCEGap", "history": 3, "radius": 0.01}, measured=_CCE)
CCE_MMD_KL = Method("MMD-KL", "MMD-KL", measured=_CCE)
CCE_BASELINES = (
    Method("GMD", "GMD", {"history": 3}, measured=_CCE),
    CCE_MMD_KL,
    *(Method(method.label, method.algorithm, measured=_CCE) for method in (MMD_EU, CFR, CFR_PLUS)),
)

WELFARE_GAMES = games_of(Category.GENERAL_SUM)
WELFARE_CMD = Method("CMD", "CMD", {"objective": "SocialWelfare"})
FOR_WELFARE = Method("CMD for welfare", "CMD", {"objective": "SocialWelfare"}, like="GMD")
FOR_NASH = Method("CMD for NashConv", like="CMD")
SWINGING_WELFARE = Method(
    "CMD for welfare", "CMD", {"objective": "SocialWelfare"}, measured=("SocialWelfare",), tail_points=501, repeats=10
)
"""Its welfare in Battleship keeps oscillating by 0.1, and decorrelates within a few hundred iterations."""

STEP_SIZES, REGULARISATIONS = (0.1, 0.5, 2.0, 10.0), (0.1, 0.5, 1.0)


def matched(base: Method) -> PerGame:
    """Return MMD with GMD's weights in each game: 1/(M+1) for the magnet, M/(M+1) for the earlier policies.

    That is xi = 1/(M+1) and eta = (M+1)/M. For M = 1, GMD is MMD-KL with these weights; for larger M, they differ only
    in the history.
    """
    label, by_game = f"{base.label} matched", {}
    for game in GAMES:
        back = PAPER_GAMES[game].history
        by_game[game] = base.with_settings(label, regularisation=1 / (back + 1), step_size=(back + 1) / back)
    return PerGame(label, by_game)


def tuned(base: Method) -> Tuned:
    """Return a method at the best step size and regularisation of a grid."""
    grid = [(xi, eta) for xi in REGULARISATIONS for eta in STEP_SIZES]
    return Tuned(
        f"{base.label} tuned",
        tuple(base.with_settings(f"xi={xi:g}, eta={eta:g}", regularisation=xi, step_size=eta) for xi, eta in grid),
    )


TEN = (CFR, CFR_PLUS, MMD_KL, MMD_EU, GMD, *controllers(CMD))
"""Columns of the paper's tables of running time and memory."""

# --- today's solvers -------------------------------------------------------------------------------------------------
RECORDED = ("current", "average", "linear", "quadratic")
"""Iterates that runs of the field record, so that methods can be compared by the same one."""


def of_field(algorithm: str, repeats: int = 1) -> Method:
    """Return an algorithm with default hyper-parameters that records the iterates in ``RECORDED``."""
    return Method(algorithm, algorithm, repeats=repeats, iterates=RECORDED)


CRD = of_field("CRD", repeats=4)
DESCENTS = tuple(map(of_field, ("CMD", "CMD(SR)", "GMD", "GMD(LD)", "GMD(ISR)", "MD", "MMD-KL", "MMD-EU")))
REGRET_METHODS = tuple(map(of_field, ("CFR", "CFR+", "LCFR", "DCFR", "DCFR+", "PCFR+", "SAPCFR+", "APCFR+", "PDCFR+")))
LAST_ITERATE = tuple(map(of_field, ("RTCFR+", "DOMWU", "DOGDA")))
FIELD_METHODS = (CRD, *DESCENTS, *REGRET_METHODS, *LAST_ITERATE)
IN_COLOUR = ("CRD", "CMD", "MMD-KL", "CFR", "CFR+", "DCFR", "PCFR+", "APCFR+", "PDCFR+")
LEADERBOARDS = {
    iterate: Standings(f"leaderboard-{iterate}" if iterate else "leaderboard", FIELD_METHODS, FIELD, iterate)
    for iterate in ("", *RECORDED)
}
"""The leaderboard of the field, and leaderboards in which all methods report the same iterate."""
SHOWN_BY_ITERATE = ("Leduc", "LiarsDice-5", "Goofspiel-5", "Battleship-3")


def in_both_ways(algorithm: str, dashed: str) -> tuple[Method, Method]:
    """Return an algorithm with alternating updates, and with simultaneous ones drawn like the method ``dashed``."""
    return (
        Method(f"{algorithm}, alternating", algorithm, {"alternating": True}, like=algorithm),
        Method(f"{algorithm}, simultaneous", algorithm, {"alternating": False}, like=dashed),
    )


MIXED = games_of(Category.MIXED)
ALTERNATING = (*in_both_ways("CFR+", "RTCFR+"), *in_both_ways("MMD-KL", "PCFR+"), *in_both_ways("CMD", "PDCFR+"))

# --- the experiments -------------------------------------------------------------------------------------------------
EXPERIMENTS: Registry[Experiment] = Registry("experiment")
for _experiment in (
    Experiment("games", "The fifteen games", "table 6, appendix E.2", (Table("games"),)),
    Experiment(
        "convex",
        "Convex functions, their derivatives and inverses",
        "table 2 and figure 8, appendix D.1",
        (Table("convex"), ConvexFunctions("convex-functions", formulas=("x ln x", *CONVEX_NAMES))),
    ),
    Experiment("hyperparameters", "Hyper-parameters", "table 7, appendix F.1", (Table("hyperparameters"),)),
    Experiment("summary", "Six methods on the fifteen games", "figure 4, RQ1 and RQ2", (Curves("summary", SIX),)),
    Experiment(
        "joint-actions",
        "Six methods by joint policies evaluated, and by seconds (ours)",
        "figure 11, appendix F.3",
        (Curves("joint-actions", SIX, x="policies_evaluated"), Curves("seconds", SIX, x="seconds")),
    ),
    Experiment(
        "history-radius",
        "The length of the history (M), and the radius of the controller (mu)",
        "figure 10, appendix F.2",
        (Curves("history-radius", histories(CMD)),),
    ),
    Experiment(
        "heuristics",
        "Weights by rule, or by a controller",
        "figure 12, appendix F.4",
        (Curves("heuristics", HEURISTICS),),
    ),
    Experiment(
        "controllers",
        "Five meta-controllers",
        "figures 5 and 13, RQ3 and appendix F.5",
        (Curves("controllers", controllers(CMD)),),
    ),
    Experiment(
        "alpha",
        "The weights over time, for five meta-controllers; index 0 is the magnet",
        "figures 14 to 18, appendix F.5",
        tuple(Weights(f"alpha-{category}", controllers(CMD), games_of(category)) for category in Category),
    ),
    Experiment(
        "bregman",
        "Bregman divergences",
        "figures 6 and 19, RQ4 and appendix F.6",
        (Curves("bregman", (*divergences(CMD), MMD_KL)),),
    ),
    Experiment(
        "magnet",
        "With the magnet, without it, and with one that does not move (ours)",
        "figure 20, appendix F.7",
        (Curves("magnet", (*magnets(CMD), MMD_KL)),),
    ),
    Experiment(
        "cce",
        "CCEGap as the objective: of the policy, and of the average play of the run (ours)",
        "figures 7 and 21 to 25, RQ5 and appendix F.8.1",
        (
            Curves("cce-methods", (CCE_CMD, *CCE_BASELINES), CCE_GAMES, _CCE),
            Curves("cce-history-radius", histories(CCE_CMD), CCE_GAMES, _CCE),
            Curves("cce-controllers", controllers(CCE_CMD), CCE_GAMES, _CCE),
            Weights("cce-alpha", controllers(CCE_CMD), CCE_GAMES),
            Curves("cce-bregman", (*divergences(CCE_CMD), CCE_MMD_KL), CCE_GAMES, _CCE),
            Curves("cce-magnet", (*magnets(CCE_CMD), CCE_MMD_KL), CCE_GAMES, _CCE),
        ),
    ),
    Experiment(
        "welfare",
        "Social welfare as the objective, and its effect on NashConv",
        "figures 7 and 26, RQ5 and appendix F.8.2",
        (
            Curves("welfare", (WELFARE_CMD, *SIX[1:]), WELFARE_GAMES, ("SocialWelfare", "NashConv")),
            Curves("welfare-objectives", (FOR_NASH, FOR_WELFARE), WELFARE_GAMES, ("SocialWelfare", "NashConv")),
        ),
    ),
    Experiment(
        "welfare-dense",
        "Oscillating welfare: Battleship with ten times the seeds, and 501 points from K/2 on",
        "ours",
        (Curves("welfare-dense", (SWINGING_WELFARE, FOR_NASH, *SIX[1:]), ("Battleship",), ("SocialWelfare",)),),
    ),
    Experiment("runtime", "Seconds per iteration", "table 8, RQ6 and appendix F.9.1", (Table("runtime", TEN),)),
    Experiment("memory", "Memory of the algorithm", "table 9, appendix F.9.2", (Table("memory", TEN),)),
    Experiment(
        "step-size",
        "MMD with the paper's step size, with GMD's, and with the best of a grid",
        "ours",
        (
            Curves("step-size-kl", (CMD, GMD, MMD_KL, matched(MMD_KL), tuned(MMD_KL))),
            Curves("step-size-eu", (CMD, GMD, MMD_EU, matched(MMD_EU), tuned(MMD_EU))),
        ),
    ),
    Experiment(
        "field",
        "Today's solvers on the fifteen games and on eight from papers on solvers",
        "ours",
        (
            Curves("field", FIELD_METHODS, FIELD, shown_first=IN_COLOUR),
            Curves("field-policies", FIELD_METHODS, FIELD, x="policies_evaluated", shown_first=IN_COLOUR),
            Curves("field-seconds", FIELD_METHODS, FIELD, x="seconds", shown_first=IN_COLOUR),
            *(
                Curves(f"field-{iterate}", FIELD_METHODS, SHOWN_BY_ITERATE, iterate=iterate, shown_first=IN_COLOUR)
                for iterate in RECORDED
            ),
            *LEADERBOARDS.values(),
        ),
    ),
    Experiment(
        "alternating",
        "Simultaneous and alternating updates",
        "ours",
        (Curves("alternating", ALTERNATING, ("MCCGoofspiel", "Kuhn", "Leduc")),),
    ),
    Experiment(
        "teams",
        "Mixed games: the paper's approximation, exact team responses, and teams that coordinate",
        "ours",
        (
            Curves("teams", SIX, MIXED, ("NashConv", "NashConv(approximate)")),
            Stacked(
                "teams-coordinated",
                FIELD_METHODS,
                (*MIXED, *COORDINATED),
                parts=(
                    Curves("", FIELD_METHODS, MIXED, ("NashConv(approximate)", "NashConv"), shown_first=IN_COLOUR),
                    Curves("", FIELD_METHODS, COORDINATED, shown_first=IN_COLOUR),
                ),
            ),
            Ends("teams-ends", FIELD_METHODS, (*MIXED, *COORDINATED)),
        ),
    ),
):
    EXPERIMENTS.register(_experiment.name, _experiment)
