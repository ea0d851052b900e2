"""Joint policies of all players, as one probability per sequence: where they come from, and what they are worth."""

from gamebench.policy.agent_functions import Agent as Agent
from gamebench.policy.agent_functions import agent as agent
from gamebench.policy.joint_policy import Policy as Policy
from gamebench.policy.joint_policy import as_batch as as_batch
from gamebench.policy.mixture import Mixture as Mixture
from gamebench.policy.simple_policies import random_policy as random_policy
from gamebench.policy.simple_policies import uniform_policy as uniform_policy
from gamebench.policy.sources import AnyPolicy as AnyPolicy
from gamebench.policy.sources import as_policy as as_policy
from gamebench.policy.sources import combine as combine
from gamebench.policy.values import action_values as action_values
from gamebench.policy.values import expected_values as expected_values
