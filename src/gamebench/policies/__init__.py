"""Joint policies of all players, one probability per sequence: creating, reading and evaluating them."""

from gamebench.policies.functions_and_networks import Agent as Agent
from gamebench.policies.functions_and_networks import agent as agent
from gamebench.policies.mixture import Mixture as Mixture
from gamebench.policies.policy import Policy as Policy
from gamebench.policies.policy import as_batch as as_batch
from gamebench.policies.simple import random_policy as random_policy
from gamebench.policies.simple import uniform_policy as uniform_policy
from gamebench.policies.sources import AnyPolicy as AnyPolicy
from gamebench.policies.sources import as_policy as as_policy
from gamebench.policies.sources import combine as combine
from gamebench.policies.values import action_values as action_values
from gamebench.policies.values import expected_values as expected_values
