"""MDPs with known optimal values."""

from tests.oracles import finite_mdp as oracle
from thetafront.agents.mdp.finite_mdp import FiniteMDP

CHAIN = FiniteMDP.from_description(oracle.CHAIN, 1.0)
