"""Measures of policies: the class, ``evaluate``, and those that come with the package."""

from gamebench.measures.logit import logit_gap as logit_gap
from gamebench.measures.logit import logit_response as logit_response
from gamebench.measures.measure import MEASURES as MEASURES
from gamebench.measures.measure import AnyMeasure as AnyMeasure
from gamebench.measures.measure import Direction as Direction
from gamebench.measures.measure import Measure as Measure
from gamebench.measures.measure import Measures as Measures
from gamebench.measures.measure import Solution as Solution
from gamebench.measures.measure import as_measure as as_measure
from gamebench.measures.measure import check_applies as check_applies
from gamebench.measures.measure import evaluate as evaluate
from gamebench.measures.measure import lower_is_better as lower_is_better
from gamebench.measures.measure import one_or_several as one_or_several
from gamebench.measures.measure import own_measure as own_measure
from gamebench.measures.measure import register_measure as register_measure
from gamebench.measures.standard import MEASURES_BY_CATEGORY as MEASURES_BY_CATEGORY
from gamebench.measures.standard import default_objective as default_objective
from gamebench.measures.standard import main_measure as main_measure
from gamebench.measures.standard import optimal_value as optimal_value
