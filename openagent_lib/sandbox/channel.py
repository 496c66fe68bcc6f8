"""The observation channel: how a tool's return reaches the agent."""

from collections.abc import Mapping
from dataclasses import dataclass

from openagent_lib.sandbox.protocol import format_value


@dataclass(frozen=True)
class ChannelRule:
    """One disturbance of the observations.

    Attributes:
        template: Text that replaces the normal return. With `{value}` in it the tool's value is passed on in
            another form; without it the value is withheld, which makes the observation *anomalous*.
        function: The hidden function that it disturbs; None disturbs every one.
        first: How many executions of the function are disturbed; None disturbs all of them.
        slot: Where an argument must change: its slot, else empty.
        old: The value of that argument that is disturbed; calls with another value are not.
        new: The value that stands for `old` from now on, as the template says.
        substitute: Where another tool must be called: its hidden function, else empty. The template names the tool.
    """

    template: str
    function: str | None = None
    first: int | None = None
    slot: str = ""
    old: str = ""
    new: str = ""
    substitute: str = ""

    def disturbs(self, function: str, executions: int, by_slot: Mapping[str, str]) -> bool:
        """Tell whether the rule applies to the execution after `executions` earlier ones of this function."""
        if self.function not in (None, function) or (self.first is not None and executions >= self.first):
            return False
        return not self.slot or by_slot.get(self.slot) == self.old


@dataclass(frozen=True)
class Channel:
    """A list of rules, tried in order; without a matching rule the observation is the normal return."""

    rules: tuple[ChannelRule, ...] = ()

    def rule_for(self, function: str, executions: int, by_slot: Mapping[str, str]) -> ChannelRule | None:
        """Return the rule that disturbs an execution, or None."""
        return next((rule for rule in self.rules if rule.disturbs(function, executions, by_slot)), None)

    def meant(self, function: str, by_slot: Mapping[str, str]) -> Mapping[str, str]:
        """Return the arguments that a call means: every redirected value stands for the old one."""
        new = {(rule.slot, rule.new): rule.old for rule in self.rules if rule.slot and rule.function == function}
        return {slot: new.get((slot, text), text) for slot, text in by_slot.items()} if new else by_slot

    def observe(self, rule: ChannelRule | None, value: str) -> tuple[str, bool]:
        """Return the observation of an execution and whether it is anomalous (the value was withheld)."""
        if rule is None:
            return format_value(value), False
        return rule.template.replace("{value}", value), "{value}" not in rule.template
