"""A tool as the agent sees it, and the hidden function behind it."""

from dataclasses import dataclass

CODE_PARAMETER = "code"
NAME_FIRST, DESCRIPTION_FIRST = KEY_ORDERS = ("name_first", "description_first")


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool.

    Attributes:
        name: The key that a call must use; a shift may rename it.
        slot: The key under which the hidden function knows it; never shown to an agent.
    """

    name: str
    slot: str


@dataclass(frozen=True)
class Tool:
    """A callable of the sandbox: what is shown (name, document, parameters) and what is run (function).

    Attributes:
        name: The identifier that a call must use.
        description: The document without its verification code; the only thing that defines the tool.
        parameters: The arguments, all required, all strings.
        function: Name of the behaviour in the domain; hidden from agents, kept by every renaming.
        code: Verification code that a call must pass as `code`, or None.
            Paper: official README, "verification codes". Assumption: the document states it, a call must pass it.
        factor: Factor of a multiplicative rule that the document states, or None.
        fixed_value: What the tool returns whatever its arguments, for tools that are beside the point; else None.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    function: str
    code: str | None = None
    factor: float | None = None
    fixed_value: str | None = None

    @property
    def document(self) -> str:
        """Return the description that an agent reads, verification code included."""
        return self.description if self.code is None else f'{self.description} Requires code "{self.code}".'

    @property
    def argument_names(self) -> tuple[str, ...]:
        """Return the keys that a call must pass, in the order of the schema."""
        names = tuple(parameter.name for parameter in self.parameters)
        return names if self.code is None else (*names, CODE_PARAMETER)

    def schema(self, key_order: str = NAME_FIRST, strict: bool = False) -> dict:
        """Return the JSON schema of the tool in the form of OpenAI-compatible endpoints.

        Args:
            key_order: `name_first` as Qwen2.5 saw it in training, or `description_first`, which lets a tiny
                causal model look a name up by its document (a setting of the backbone).
            strict: Whether to add what the strict mode of such endpoints asks for. Prompts do without it, since it
                costs tokens and says nothing new.
        """
        body = {
            "name": self.name,
            "description": self.document,
            "parameters": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in self.argument_names},
                "required": list(self.argument_names),
            },
        }
        if key_order == DESCRIPTION_FIRST:
            body = {"description": body["description"], "name": body["name"], "parameters": body["parameters"]}
        if strict:
            body["strict"] = True
            body["parameters"]["additionalProperties"] = False
        return {"type": "function", "function": body}
