"""The ledger: each claim on evidence on which it holds, on such on which it fails, and on too little to tell."""

import json
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from gamebench.evidence.claims import CLAIMS, Verdict
from gamebench.evidence.claims import field_claims as field
from gamebench.evidence.claims import objective_claims as cce
from gamebench.evidence.claims import team_claims as teams
from gamebench.evidence.claims import variant_claims as variants
from gamebench.evidence.claims.claim import MISSING, Claim, Decision, Finding, Quantifier
from gamebench.evidence.experiments import (
    ALTERNATING,
    CCE_BASELINES,
    CCE_CMD,
    CCE_MMD_KL,
    CFR,
    CFR_PLUS,
    CMD,
    EXPERIMENTS,
    FOR_NASH,
    FOR_WELFARE,
    GMD,
    HEURISTICS,
    MMD_EU,
    MMD_KL,
    SWINGING_WELFARE,
    TEN,
    Table,
    controllers,
    matched,
    tuned,
)
from gamebench.evidence.methods import COORDINATED, FIELD, GAMES, Method, games_of, members
from gamebench.games.game import Category
from tests.evidence.made_up import (
    NOTHING,
    POINTS,
    MadeUpEvidence,
    RunName,
    curve_of,
    in_mixed_games,
    race,
    says,
    tables,
)

HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
EVERY = Quantifier.EVERY
APPROXIMATE = "NashConv(approximate)"
NEEDED = {
    EVERY: all,
    Quantifier.ALMOST_ALL: lambda answers: 5 * sum(answers) >= 4 * len(answers),
    Quantifier.MOST: lambda answers: 2 * sum(answers) > len(answers),
    Quantifier.SOME: any,
}
NAMES = list(CLAIMS)
COSTS = [name for name in NAMES if CLAIMS[name].needs in ("runtime", "memory")]

_, RS, DGLDS, GLDS, GLD = controllers(CMD)
SQUARE, ROOT, EXPONENTIAL, LOGARITHM = variants.SQUARE, variants.ROOT, variants.EXPONENTIAL, variants.LOGARITHM
NO_MAGNET, INITIAL, PAIRS = variants.WITHOUT_MAGNET, variants.INITIAL_MAGNET, variants.HISTORIES
CCE_PAIRS = cce.HISTORIES
FORTH = HEURISTICS[1:]
MATCHED = matched(MMD_KL).methods
SEVERAL_BACK = ("TinyHanabi-A", "Kuhn", "Leduc", "Goofspiel", "Bargaining")
"""The games in which M is not 1."""

RACES = {
    "cmd-finds-optimum": ([CMD], [GMD]),
    "cmd-finds-equilibrium": ([CMD], [GMD]),
    "cmd-sooner-than-mmd-kl": ([CMD], [MMD_KL]),
    "gmd-sooner-than-mmd-kl": ([GMD], [MMD_KL]),
    "history-makes-gmd-sooner": ([GMD], [{"": (), **{game: (MATCHED[game], GMD) for game in SEVERAL_BACK}}]),
    "cmd-sooner-than-gmd": ([CMD], [GMD]),
    "cmd-wins-mixed-kuhn": ([CMD], [CMD, MMD_EU]),
    "cmd-on-par-elsewhere": ([GMD, CMD], [CFR_PLUS]),
    "gmd-stuck-on-leduc": ([CMD], [GMD]),
    "cfr-inferior-to-cfr-plus": ([CFR_PLUS], [CFR, CFR_PLUS]),
    "cfr-inferior-to-cmd": ([CMD, CFR], [CFR, CMD]),
    "cfr-plus-early-then-caught": ([CFR_PLUS, CMD], [CMD, CFR_PLUS]),
    "joint-policies-change-nothing": ([CMD], [MMD_KL]),
    "joint-policies-cfr-plus": ([CFR_PLUS, CMD], [CMD, CFR_PLUS]),
    "mmd-kl-solves-cooperative": ([MMD_KL], [CMD]),
    "drs-best-controller": ([CMD, RS, DGLDS, GLDS], [GLD, CMD]),
    "drs-never-behind": ([CMD, GLD], [GLDS, CMD]),
    "drs-ends-lower": ([CMD], [CMD, DGLDS]),
    "gld-lower-in-mcckuhn-a": ([GLD, RS], [CMD, GLD]),
    "two-sided-better": ([CMD, RS, DGLDS, GLDS], [DGLDS, CMD]),
    "rs-hardly-moves": ([RS], [CMD, GLDS]),
    "rs-vanishes-on-leduc": ([CMD, GLDS], [RS]),
    "glds-hardly-moves": ([GLDS], [CMD, RS]),
    "glds-vanishes-on-leduc": ([CMD, RS], [GLDS]),
    "drs-like-dglds": ([CMD, DGLDS], [CMD, GLD]),
    "entropy-not-always-best": ([{"MCCKuhn-B": (ROOT, CMD), "": ()}], [CMD, LOGARITHM]),
    "entropy-good-everywhere": ([SQUARE, CMD], [ROOT]),
    "square-better-in-six": ([SQUARE, CMD], [CMD, SQUARE]),
    "exponential-better-in-mccgoofspiel": ([EXPONENTIAL, CMD], [SQUARE, CMD]),
    "entropy-beats-mmd-kl": ([CMD, MMD_KL], [MMD_KL, CMD]),
    "heuristics-differ": ([{"MCCKuhn-A": FORTH, "": FORTH[::-1]}], FORTH[::-1]),
    "no-history-and-radius-for-all": ([{"MCCKuhn-A": PAIRS[:1], "": PAIRS[1:3]}], PAIRS[1:3]),
    "one-back-not-always-best": ([{"MCCKuhn-A": PAIRS[5:], "": ()}], [PAIRS[1], PAIRS[5]]),
    "one-back-ineffective-on-leduc": ([PAIRS[2], PAIRS[4]], [PAIRS[1]]),
    "defaults-are-best": ([CMD, PAIRS[3]], [PAIRS[3], CMD]),
    "magnet-slower-alone": ([NO_MAGNET, CMD], [CMD, NO_MAGNET]),
    "high-without-magnet": ([CMD, INITIAL], [NO_MAGNET]),
    "lower-without-magnet": ([NO_MAGNET], [CMD, NO_MAGNET]),
    "initial-magnet-is-as-good": ([CMD, INITIAL], [CMD, NO_MAGNET]),
    "gmd-differs-from-mmd": ([GMD], [CMD]),
    "cmd-beats-tuned-mmd-kl": ([CMD, MMD_KL], [tuned(MMD_KL).methods[7], CMD]),
    "cmd-beats-tuned-mmd-eu": ([CMD, MMD_EU], [tuned(MMD_EU).methods[-1], CMD]),
    "cce-cmd-sooner-than-mmd-kl": ([CCE_CMD], [CCE_MMD_KL, CMD]),
    "cce-cmd-not-behind": ([CCE_CMD], [CCE_BASELINES[-1], CCE_CMD]),
    "cce-no-history-and-radius-for-all": ([{"Kuhn": CCE_PAIRS[:1], "": CCE_PAIRS[1:3]}], [CCE_PAIRS[5]]),
    "cce-default-is-best": ([CCE_PAIRS[2], CCE_PAIRS[0]], [CCE_PAIRS[0], CCE_PAIRS[2]]),
    "cce-drs-best-controller": ([CCE_CMD, cce.GLD], [cce.GLD, CCE_CMD]),
    "cce-gld-not-behind-dglds": ([cce.GLD, cce.DGLDS], [cce.DGLDS, cce.GLD]),
    "cce-gld-like-drs": ([CCE_CMD, cce.GLD], [CCE_CMD, cce.DGLDS]),
    "cce-entropy-good": ([cce.ROOT, CCE_CMD], [cce.EXPONENTIAL]),
    "cce-square-better-in-goofspiel": ([cce.SQUARE, CCE_CMD], [CCE_CMD, cce.SQUARE]),
    "cce-exponential-better-in-goofspiel": ([cce.EXPONENTIAL, CCE_CMD], [cce.SQUARE, CCE_CMD]),
    "cce-magnet-kuhn": ([CCE_CMD, CCE_MMD_KL], [cce.WITHOUT_MAGNET, CCE_CMD]),
    "cce-magnet-goofspiel": ([cce.WITHOUT_MAGNET, CCE_CMD], [CCE_CMD, cce.WITHOUT_MAGNET]),
    "welfare-competitive": ([GMD, CFR], [FOR_NASH, CFR]),
    "welfare-still-equilibrium": ([FOR_WELFARE], [FOR_NASH]),
    "welfare-higher-in-battleship": ([SWINGING_WELFARE], [SWINGING_WELFARE, FOR_NASH]),
    "welfare-no-equilibrium-in-battleship": ([FOR_NASH], [FOR_WELFARE]),
    "nash-objective-faster": ([FOR_NASH, FOR_WELFARE], [FOR_WELFARE, FOR_NASH]),
    **{
        f"field-{one.name}{end}": ([one.method], [one.rival, one.method] if end else [one.rival])
        for one in field.ORDERINGS
        for end in ("", "-late")
    },
    "field-rtcfr-plus-last-iterate": ([field.RTCFR_PLUS], [field.DOMWU]),
    "field-domwu-last-iterate": ([field.DOMWU], [field.DOGDA]),
    "field-dogda-last-iterate": ([field.DOGDA], [field.DOMWU]),
    "field-cmd-on-par": ([field.CFR, field.CMD], [field.LCFR]),
    "field-cmd-on-par-elsewhere": ([field.CMD], [field.DCFR]),
    "field-pdcfr-plus-on-par": ([field.CMD, field.PDCFR_PLUS], [field.CMD]),
    "field-crd-on-par": ([field.CRD, field.CFR], [field.CFR]),
    "field-cmd-sr-on-par": ([field.CMD, field.CMD_SR], [field.CMD]),
    "field-cfr-soon-optimal": ([field.CFR], [field.CFR_PLUS]),
    "field-cfr-plus-soon-optimal": ([field.CFR_PLUS], [field.CFR]),
    **{f"teams-independent-{name}": ([field.CRD], [field.CFR_PLUS]) for name in ("cfr-plus", "crd")},
    **{
        name: ([claim.test.arguments["method"]], [field.LCFR])
        for name, claim in teams.ROWS.items()
        if name.startswith("teams-coordinated-")
    },
    **{
        f"simultaneous-{name}-stuck": ([moves], [moves, stays])
        for name, moves, stays in zip(("cfr-plus", "mmd-kl", "cmd"), ALTERNATING[::2], ALTERNATING[1::2], strict=True)
    },
}
"""Who comes first, second, ... where a claim holds, and where it fails; the others get stuck."""


def costs(others=(1.0, 1.0, 1.0), **of_methods):
    """Tables in which each method costs so many seconds, seconds with an update and MB in every game."""
    numbers = {method.label: others for method in TEN} | of_methods
    return NOTHING.with_tables(tables({(game, label): of for game in GAMES for label, of in numbers.items()}))


def returning(least):
    """Everything comes to so little on the way, and back."""
    gap = np.where((POINTS > 0) & (POINTS < 32), least, 1.0)
    curve = curve_of(dict.fromkeys(("NashConv", "NashConv(approximate)", "OptGap"), gap))
    return MadeUpEvidence(lambda *_: curve)


BY_HAND = {
    "gld-stuck": lambda: (race(CMD, stuck=0.5), race(GLD, stuck=0.5)),
    "rs-stuck-on-leduc": lambda: (race(CMD, GLDS, stuck=0.5), race(stuck=0.49)),
    "glds-stuck-on-leduc": lambda: (race(CMD, RS, stuck=0.5), race(stuck=0.49)),
    "one-back-stuck-on-leduc": lambda: (race(CMD, stuck=0.5), race(PAIRS[1], stuck=0.5)),
    "diverges-without-magnet": lambda: (returning(0.05), returning(0.2)),
    "iterations-are-short": lambda: (costs((9, 1.0, 99)), costs((0.1, 1.0, 1), RS=(0.1, 1.01, 1))),
    "gmd-costs-more-than-mmd-kl": lambda: (costs(GMD=(1.25, 0, 0)), costs(GMD=(1.24, 9, 9))),
    "candidates-cost-most": lambda: (costs(DRS=(0, 2.0, 0)), costs(DRS=(9, 1.99, 9))),
    "two-sided-costs-more": lambda: (costs(DRS=(0, 1.25, 0)), costs(DRS=(9, 1.24, 9))),
    "little-memory": lambda: (costs((99, 99, 59.063)), costs((0, 0, 59), GLD=(0, 0, 59.064))),
}


@cache
def known(name):
    """Evidence on which a claim holds, and on which it fails."""
    name = name.removesuffix("-exact")
    return BY_HAND[name]() if name in BY_HAND else tuple(race(*order) for order in RACES[name])


@dataclass(frozen=True)
class Decided:
    """A claim decided on some evidence, and what each of its cases read."""

    decision: Decision
    evidence: MadeUpEvidence
    runs_read: list[set[RunName]]

    def again(self, evidence, is_changed):
        """On other evidence; only cases that read one of the runs that changed are tested again."""
        claim = self.decision.claim
        found = iter(
            [
                claim.test.decide(evidence, case, claim.measure_of) if any(map(is_changed, reads)) else finding
                for case, finding, reads in zip(claim.cases, self.decision.findings, self.runs_read, strict=True)
            ]
        )
        return replace(claim, test=says(lambda *_: next(found))).decide(evidence)


@cache
def decided(name):
    """Where a claim holds, and where it fails."""
    return tuple(decide(CLAIMS[name], evidence) for evidence in known(name))


def decide(claim, evidence):
    reads = []

    def test(_, case):
        mine = evidence.without(())
        finding = claim.test.decide(mine, case, claim.measure_of)
        reads.append(set(mine.names_read()))
        evidence.runs_read |= mine.runs_read
        evidence.tables_read |= mine.tables_read
        return finding

    evidence = evidence.without(())
    return Decided(replace(replace(claim, test=says(test)).decide(evidence), claim=claim), evidence, reads)


def verdict_of(quantifier, answers):
    """That of all completions, if they agree."""
    could = {
        NEEDED[quantifier](complete)
        for complete in product(*((True, False) if one is None else (one,) for one in answers))
    }
    return UNDECIDED if len(could) == 2 else HOLDS if could == {True} else FAILS


# --- the claims ------------------------------------------------------------------------------------------------------
def test_the_claims_are_named_and_worded():
    assert len({(claim.statement, claim.formula) for claim in CLAIMS.values()}) == len(CLAIMS)
    assert {name.removesuffix("-exact") for name in NAMES} == {*RACES, *BY_HAND}
    for name, claim in CLAIMS.items():
        assert name == claim.name == claim.name.lower().strip()
        assert " " not in claim.name
        for text in (claim.statement, claim.where, claim.formula):
            assert text == text.strip() != ""
        assert claim.remark == claim.remark.strip() == CLAIMS[name.removesuffix("-exact")].remark
        assert claim.statement.endswith((".", ".)"))
        assert claim.formula.endswith(".")
        assert claim.needs in EXPERIMENTS
        assert len(claim.cases) > 0
        if "most games" in claim.statement.lower():
            assert claim.quantifier is Quantifier.MOST
        if "almost all games" in claim.statement or "typically" in claim.statement:
            assert claim.quantifier is Quantifier.ALMOST_ALL
        labels = [finding.case for finding in claim.decide(NOTHING).findings]
        assert len(set(labels)) == len(labels)


def runs_of(experiment):
    """Game and method of all the curves of an experiment."""
    parts = [part for part in EXPERIMENTS[experiment].exhibits if not isinstance(part, Table)]
    return {
        (game, one.key) for part in parts for game in part.games for some in part.methods for one in members(some, game)
    }


def test_all_that_a_claim_reads_is_in_the_experiment_that_it_names():
    for name in NAMES:
        claim, evidence = CLAIMS[name], decided(name)[0].evidence
        there = runs_of(claim.needs)
        if name.startswith("defaults-are-best"):  # in every game CMD is one of the six
            there |= {(game, CMD.key) for game in GAMES}
        assert evidence.runs_read <= there
        measured = [part for part in EXPERIMENTS[claim.needs].exhibits if isinstance(part, Table)]
        assert evidence.tables_read == {part.name for part in measured}
        games = [case for case in claim.cases if isinstance(case, str)]
        beyond = {"field": FIELD, "teams": COORDINATED}
        assert set(games) <= {*GAMES, *beyond.get(claim.needs, ())}
        if evidence.runs_read:
            assert {game for game, _ in evidence.runs_read} == set(games or (game for game, _ in there))
        for case in claim.cases:
            if not isinstance(case, str):
                methods = [case] if isinstance(case, Method) else case
                assert {method.key for method in methods} <= {key for _, key in there}


def test_each_claim_holds_here_and_fails_there_and_is_undecided_on_nothing():
    for name in NAMES:
        assert [one.decision.verdict for one in decided(name)] == [HOLDS, FAILS]
        nothing = CLAIMS[name].decide(NOTHING)
        assert nothing.verdict is UNDECIDED
        assert {finding.answer for finding in nothing.findings} == {None}


def test_joint_policies_are_counted():
    dear = race(CMD, pace={"CMD": 100})
    assert CLAIMS["cmd-sooner-than-mmd-kl"].decide(dear).verdict is HOLDS
    assert CLAIMS["joint-policies-change-nothing"].decide(dear).verdict is FAILS
    dear = race(CFR_PLUS, CMD, pace={"CFR+": 100})  # 16 joint policies are not one iteration of CFR+
    assert CLAIMS["cfr-plus-early-then-caught"].decide(dear).verdict is HOLDS
    assert CLAIMS["joint-policies-cfr-plus"].decide(dear).verdict is FAILS


def test_significantly_lower_is_below_half():
    for end, verdict in ((0.04, HOLDS), (0.06, FAILS)):
        curves = [curve_of({"NashConv": [1, last], APPROXIMATE: [1, last]}) for last in (end, 0.1)]
        evidence = MadeUpEvidence(lambda game, method, seed, curves=curves: curves[method.key != CMD.key])
        assert [CLAIMS[name].decide(evidence).verdict for name in NAMES if "drs-ends-lower" in name] == [verdict] * 2


def test_of_welfare_in_battleship_only_the_dense_runs_tell():
    claim = CLAIMS["welfare-higher-in-battleship"]
    evidence = race(SWINGING_WELFARE, FOR_WELFARE)
    assert claim.decide(evidence).verdict == "holds"
    assert len(evidence.curves("Battleship", SWINGING_WELFARE)) == 10 * len(evidence.curves("Battleship", FOR_WELFARE))
    runs = [("Battleship", SWINGING_WELFARE.key, seed) for seed in evidence.seeds_of(SWINGING_WELFARE.key)]
    for missing in (runs, runs[-1:]):
        decision = claim.decide(evidence.without(missing))
        assert (decision.verdict, decision.findings[0].measured) == ("undecided", MISSING)


def test_gmd_is_compared_with_mmd_of_the_same_weights_in_each_game():
    games = {}
    for name in ("history-makes-gmd-sooner", "gmd-differs-from-mmd"):
        claim, evidence = CLAIMS[name], decided(name)[0].evidence
        assert evidence.runs_read == {(game, one.key) for game in claim.cases for one in (GMD, MATCHED[game])}
        games[name] = set(claim.cases)
    assert games["history-makes-gmd-sooner"] == set(SEVERAL_BACK)
    assert games["gmd-differs-from-mmd"] == set(GAMES) - set(SEVERAL_BACK)
    assert {dict(MATCHED[game].settings)["step_size"] for game in games["gmd-differs-from-mmd"]} == {2.0}


def test_each_of_the_ten_methods_has_to_be_cheap():
    for name in ("iterations-are-short", "little-memory"):
        assert CLAIMS[name].test.arguments["methods"] == tuple(method.label for method in TEN)


# --- the paper's measure, and the exact one --------------------------------------------------------------------------
TWINS = [name for name in NAMES if f"{name}-exact" in CLAIMS]


def test_each_claim_about_mixed_games_is_asked_twice_but_for_those_about_weights_and_costs():
    mixed = set(games_of(Category.MIXED))
    about = [claim.name for claim in CLAIMS.values() if mixed & {case for case in claim.cases if isinstance(case, str)}]
    about += ["heuristics-differ", "no-history-and-radius-for-all"]
    exact_anyway = ("field", "alternating", "teams")
    about = [name for name in about if CLAIMS[name].needs not in exact_anyway]
    alone = {name for name in about if name not in TWINS and not name.endswith("-exact")}
    assert alone - set(COSTS) == {"rs-hardly-moves", "glds-hardly-moves", "drs-like-dglds", "gmd-differs-from-mmd"}


def test_each_measure_decides_its_own_claim_alone():
    """One column tells of a world in which the claim holds, the other of one in which it fails."""
    mixed = games_of(Category.MIXED)
    for name in TWINS:
        for first, second in ((0, 1), (1, 0)):
            worlds = known(name)[first], known(name)[second]
            for column, stays, changes in (("NashConv", name, f"{name}-exact"), (APPROXIMATE, f"{name}-exact", name)):
                evidence = in_mixed_games(worlds[0], column, worlds[1])
                before = decided(stays)[first]
                after = before.again(evidence, lambda run: run[0] in mixed)
                assert (after.verdict, after.findings) == (before.decision.verdict, before.decision.findings)
                # The other claim has the one world's answers in mixed games, and the other's elsewhere.
                before, other = decided(changes)[first], decided(changes)[second].decision
                after = before.again(evidence, lambda run: run[0] in mixed)
                if not isinstance(after.claim.cases[0], str):
                    assert after.verdict is other.verdict  # both worlds are the same but for a mixed game
                    continue
                pairs = zip(before.decision.findings, other.findings, strict=True)
                expected = [new if new.case in mixed else old for old, new in pairs]
                assert after.findings == tuple(expected)
                assert after.verdict is verdict_of(after.claim.quantifier, [one.answer for one in expected])


# --- runs that are missing -------------------------------------------------------------------------------------------
def test_runs_that_are_missing_never_turn_a_verdict():
    for name in (one for one in NAMES if one not in COSTS):
        draws = np.random.default_rng(NAMES.index(name))
        is_some_game = "no-history-and-radius-for-all" in name
        for before in decided(name):
            verdict = before.decision.verdict
            runs = before.evidence.names_read()
            one_less = [{runs[place]} for place in draws.permutation(len(runs))[:2]]
            for missing in (*one_less, {run for run in runs if draws.uniform() < 0.02}):
                after = before.again(before.evidence.without(missing), missing.__contains__)
                assert after.verdict in (verdict, UNDECIDED)
                pairs = zip(before.decision.findings, after.findings, before.runs_read, strict=True)
                for old, new, reads in pairs:
                    assert new.answer in (old.answer, None)
                    if not (is_some_game and new.answer):  # what was found in one game does not need the others
                        assert (MISSING in new.measured) is bool(reads & missing)
                if missing and after.claim.quantifier is EVERY and verdict is HOLDS and not is_some_game:
                    assert after.verdict is UNDECIDED


# --- from answers to a verdict ---------------------------------------------------------------------------------------
def claim_of(answers, quantifier=EVERY):
    cases = tuple(f"game {place}" for place in range(len(answers)))
    by_case = dict(zip(cases, answers, strict=True))
    test = says(lambda _, case: Finding(case, by_case[case], f"<{case}>"), uses_measure=False)  # these are no games
    return Claim("It is so.", test, cases, "here", quantifier, name="made-up")


def test_a_verdict_is_what_all_completions_agree_on():
    for quantifier, length in product(Quantifier, range(1, 7)):
        for answers in product((True, False, None), repeat=length):
            assert claim_of(answers, quantifier).decide(NOTHING).verdict is verdict_of(quantifier, answers)


def test_how_many_of_the_fifteen_games_are_needed():
    for quantifier, least in ((EVERY, 15), (Quantifier.ALMOST_ALL, 12), (Quantifier.MOST, 8), (Quantifier.SOME, 1)):
        verdicts = [claim_of([place < true for place in range(15)], quantifier).decide(NOTHING) for true in range(16)]
        assert [one.verdict for one in verdicts] == [HOLDS if true >= least else FAILS for true in range(16)]


def test_what_was_measured_in_one_line():
    for answers, measured in (
        ([True], "game 0: <game 0>"),
        ([None], "game 0: <game 0>"),
        ([True, True], "true in 2 of 2"),
        ([True, False], "true in 1 of 2; not true in game 1 (<game 1>)"),
        ([None, True, False], "true in 1 of 3; not true in game 2 (<game 2>); undecided in game 0 (<game 0>)"),
        ([False] * 7, "true in 0 of 7; not true in " + ", ".join(f"game {place}" for place in range(7))),
        ([False] * 6, "true in 0 of 6; not true in " + ", ".join(f"game {one} (<game {one}>)" for one in range(6))),
    ):
        assert claim_of(answers).decide(NOTHING).measured == measured


def test_a_decision_as_json():
    found = json.loads(json.dumps(claim_of([True, False, None], Quantifier.MOST).decide(NOTHING).as_dict()))
    assert found == {
        "name": "made-up",
        "statement": "It is so.",
        "where": "here",
        "test": "It is. Must be true in most of game 0, game 1, game 2.",
        "measured": "true in 1 of 3; not true in game 1 (<game 1>); undecided in game 2 (<game 2>)",
        "verdict": "undecided",
        "needs": "summary",
        "remark": "",
        "cases": [
            {"case": f"game {place}", "answer": answer, "measured": f"<game {place}>"}
            for place, answer in enumerate([True, False, None])
        ],
    }
