"""The agent that plays with a trained network, looking one or several moves ahead."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from thetafront.agents.agent import register
from thetafront.agents.parameters import Label, Value, parameter
from thetafront.agents.policy_dispatch import Settings
from thetafront.agents.twenty48.afterstate_value import NoKnowledge
from thetafront.agents.twenty48.lookahead import LookaheadAgent
from thetafront.agents.twenty48.ntuple.network import NONE, TrainedNetwork, trained_network


@register
@dataclass(frozen=True)
class NTuple(LookaheadAgent):
    """Takes the best action by a trained network's values, or by expectimax over them.

    Without a network, all afterstates are worth 0, and only the points of actions count.

    Raises
    ------
    ValueError
        If the network does not exist.
    """

    name: ClassVar[str] = "ntuple"

    network: str = parameter(NONE, Label(), "name of a network trained by thetafront train")

    # The digest that the weights had when the agent was built; workers get it with the agent.
    digest: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network != NONE:
            network = trained_network(self.network)
            network.check()
            object.__setattr__(self, "digest", network.digest)

    @cached_property
    def trained(self) -> TrainedNetwork | None:
        """The network's manifest; ValueError if it has changed since the agent was built."""
        if self.network == NONE:
            return None
        found = trained_network(self.network)
        if found.digest != self.digest:
            raise ValueError(
                f"network {self.network!r} has changed: its digest must be {self.digest} "
                f"(got {found.digest})"
            )
        return found

    @property
    def depends_on(self) -> dict[str, Value]:
        return {} if self.network == NONE else {"network_digest": self.digest}

    @cached_property
    def knowledge(self) -> Settings:
        return NoKnowledge() if self.trained is None else self.trained.read()

    @property
    def built_for(self) -> Hashable:
        return None if self.trained is None else self.trained.patterns
