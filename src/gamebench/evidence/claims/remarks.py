"""What is known about the authors' published code that bears on claims, found by running it beside independent code."""

CLIMB = "In the authors' code RS and GLDS add the estimate of the gradient, so that they climb; here they descend."
TEAMS = "In the mixed games the authors' CFR and CFR+ learn the original three-player game; here the game of teams."
STEP = (
    "GMD with one policy back is MMD-KL with xi = 0.5, eta = 2, while MMD-KL runs with xi = 1, eta = 0.1: the "
    "comparison is also one of step sizes."
)
MAGNET = "The authors' magnet moves, as ours does by default; the text says that it is the initial policy."
WELFARE = (
    "In the authors' code social welfare is the mean of 100 sampled episodes, so that the sign that DRS goes by is "
    "mostly noise; here it is exact."
)
DENSE = (
    f"{WELFARE} With 101 points a seed it was undecided, by a hair; 501 points were chosen after that, because "
    "welfare forgets where it was within 500 iterations."
)
SHORT = "What is called short decides this: soon after, CFR+ no longer leads in most games."
GLD = "The authors' GLD moves only if its best candidate beats the current policy; the text's, and ours, always does."
CCE = "CCEGap of one policy equals NashConv, so these are runs for NashConv with M = 3 and mu = 0.01."
TIME = "The paper leaves out building the tree for mirror descent and includes it for CFR."
ROOT = "In the authors' code -x^n has a wrong sign, exponent and derivative."
LEDUC = "In Leduc the authors' code reports half of NashConv."
