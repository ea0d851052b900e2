"""Differences between the authors' published code and ours that bear on claims."""

CLIMB = "In the authors' code, RS and GLDS add the estimate of the gradient, so they climb; here they descend."
TEAMS = "In the mixed games, the authors' CFR and CFR+ learn the original three-player game; here, the team game."
STEP = (
    "GMD with one policy back is MMD-KL with xi = 0.5, eta = 2, while MMD-KL runs with xi = 1, eta = 0.1: the "
    "comparison is also one of step sizes."
)
MAGNET = "The authors' magnet moves, as ours does by default; in the text it is the initial policy."
WELFARE = (
    "In the authors' code, social welfare is the mean of 100 sampled episodes, so the sign that DRS follows is mostly "
    "noise; here it is exact."
)
DENSE = (
    f"{WELFARE} With 101 points per seed it was narrowly undecided; 501 points were chosen afterwards, because welfare "
    "forgets its value within 500 iterations."
)
SHORT = "The verdict depends on what counts as short: soon after, CFR+ no longer leads in most games."
GLD = "The authors' GLD moves only if its best candidate beats the current policy; the text's, and ours, always does."
CCE = "CCEGap of a single policy equals NashConv, so these are runs for NashConv with M = 3 and mu = 0.01."
TIME = "The paper's times include building the tree for CFR, but not for mirror descent."
ROOT = "In the authors' code, -x^n has a wrong sign, exponent and derivative."
LEDUC = "In Leduc, the authors' code reports half of NashConv."
