"""Measures of policies: the ``Measure`` class, ``evaluate`` and the built-in measures."""

from gamebench.analysis.measures.logit import logit_gap as logit_gap
from gamebench.analysis.measures.logit import logit_response as logit_response
from gamebench.analysis.measures.measure import MEASURES as MEASURES
from gamebench.analysis.measures.measure import AnyMeasure as AnyMeasure
from gamebench.analysis.measures.measure import Direction as Direction
from gamebench.analysis.measures.measure import Measure as Measure
from gamebench.analysis.measures.measure import Measures as Measures
from gamebench.analysis.measures.measure import Solution as Solution
from gamebench.analysis.measures.measure import as_measure as as_measure
from gamebench.analysis.measures.measure import check_applies as check_applies
from gamebench.analysis.measures.measure import evaluate as evaluate
from gamebench.analysis.measures.measure import lower_is_better as lower_is_better
from gamebench.analysis.measures.measure import one_or_several as one_or_several
from gamebench.analysis.measures.measure import own_measure as own_measure
from gamebench.analysis.measures.measure import register_measure as register_measure
from gamebench.analysis.measures.standard import MEASURES_BY_CATEGORY as MEASURES_BY_CATEGORY
from gamebench.analysis.measures.standard import default_objective as default_objective
from gamebench.analysis.measures.standard import main_measure as main_measure
from gamebench.analysis.measures.standard import optimal_value as optimal_value
