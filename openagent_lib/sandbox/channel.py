"""The observation channel: how a tool's return reaches the agent."""

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
    """

    template: str
    function: str | None = None
    first: int | None = None

    def disturbs(self, function: str, executions: int) -> bool:
        """Tell whether the rule applies to the execution after `executions` earlier ones of this function."""
        return self.function in (None, function) and (self.first is None or executions < self.first)


@dataclass(frozen=True)
class Channel:
    """A list of rules, tried in order; without a matching rule the observation is the normal return."""

    rules: tuple[ChannelRule, ...] = ()

    def observe(self, function: str, value: str, executions: int) -> tuple[str, bool]:
        """Return the observation of one execution and whether it is anomalous (the value was withheld)."""
        for rule in self.rules:
            if rule.disturbs(function, executions):
                return rule.template.replace("{value}", value), "{value}" not in rule.template
        return format_value(value), False
