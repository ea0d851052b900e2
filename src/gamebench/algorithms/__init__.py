"""Algorithms: CFR and its descendants, dilated optimistic methods, and mirror descents up to CMD."""

from gamebench.algorithms.algorithm import ALGORITHMS as ALGORITHMS
from gamebench.algorithms.algorithm import Algorithm as Algorithm
from gamebench.algorithms.algorithm import AnyAlgorithm as AnyAlgorithm
from gamebench.algorithms.algorithm import State as State
from gamebench.algorithms.algorithm import as_algorithm as as_algorithm
from gamebench.algorithms.algorithm import register_algorithm as register_algorithm
from gamebench.algorithms.crd.preset import CRD as CRD
from gamebench.algorithms.descent.cmd import CMD as CMD
from gamebench.algorithms.descent.cmd import CMDSuccessRule as CMDSuccessRule
from gamebench.algorithms.descent.mirror_descent import GMD as GMD
from gamebench.algorithms.descent.mirror_descent import MD as MD
from gamebench.algorithms.descent.mirror_descent import GMDInverseSquareRoot as GMDInverseSquareRoot
from gamebench.algorithms.descent.mirror_descent import GMDLinearDecay as GMDLinearDecay
from gamebench.algorithms.descent.mmd import MMDEU as MMDEU
from gamebench.algorithms.descent.mmd import MMDKL as MMDKL
from gamebench.algorithms.dilated import DOGDA as DOGDA
from gamebench.algorithms.dilated import DOMWU as DOMWU
from gamebench.algorithms.regret.cfr import CFR as CFR
from gamebench.algorithms.regret.cfr import DCFR as DCFR
from gamebench.algorithms.regret.cfr import LCFR as LCFR
from gamebench.algorithms.regret.cfr import APCFRPlus as APCFRPlus
from gamebench.algorithms.regret.cfr import CFRPlus as CFRPlus
from gamebench.algorithms.regret.cfr import DCFRPlus as DCFRPlus
from gamebench.algorithms.regret.cfr import PCFRPlus as PCFRPlus
from gamebench.algorithms.regret.cfr import PDCFRPlus as PDCFRPlus
from gamebench.algorithms.regret.cfr import SAPCFRPlus as SAPCFRPlus
from gamebench.algorithms.regret.regret_minimiser import RegretMinimiser as RegretMinimiser
from gamebench.algorithms.regret.rtcfr import RTCFRPlus as RTCFRPlus
from gamebench.algorithms.state_files import check_same as check_same
from gamebench.algorithms.state_files import load_state as load_state
from gamebench.algorithms.state_files import pack_state as pack_state
from gamebench.algorithms.state_files import save_state as save_state
from gamebench.algorithms.state_files import state_identity as state_identity
from gamebench.algorithms.state_files import unpack_state as unpack_state

for _algorithm in (
    *(CRD, CMD, CMDSuccessRule, GMD, GMDLinearDecay, GMDInverseSquareRoot, MD, MMDKL, MMDEU),
    *(CFR, CFRPlus, LCFR, DCFR, DCFRPlus, PCFRPlus, SAPCFRPlus, APCFRPlus, PDCFRPlus, RTCFRPlus, DOMWU, DOGDA),
):
    register_algorithm(_algorithm)
