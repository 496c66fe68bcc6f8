"""The look-up tools of an episode: a tree of what is found from what."""

from dataclasses import dataclass, field
from itertools import pairwise

from openagent_lib.pretraining import documents
from openagent_lib.pretraining.world import Domain, draw_tool, look_up_tool
from openagent_lib.sandbox.tool import Tool


@dataclass
class Tree:
    """Look-up tools that form a tree: every attribute is found from one other, the root is known from the query.

    Attributes:
        domain: Words of the episode.
        root: What the queries give: `name`, or an attribute.
        given: For every attribute that a tool returns, the one that it takes.
        tools: The tools, by what they return.
    """

    domain: Domain
    root: str
    given: dict[str, str] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)

    def grow(self, given: str, output: str) -> None:
        """Add a tool, whose document may name the tool before it."""
        source = self.domain.source
        before = self.tools.get(given)
        if before is not None and source.random() < 0.15:
            tool = draw_tool(self.domain, (given,), output, documents.STEP_DOCUMENTS, t=before.name)
        else:
            tool = look_up_tool(self.domain, given, output)
        self.given[output], self.tools[output] = given, tool

    def path(self, output: str) -> list[str]:
        """Return the attributes from the root, excluded, to one, included."""
        path = [output]
        while self.given[path[0]] != self.root:
            path.insert(0, self.given[path[0]])
        return path


def draw_tree(domain: Domain, length: int, count: int, is_alike: bool) -> Tree:
    """Draw a tree of `count` tools with a path of `length`; the others branch off its end, the root or anywhere."""
    source = domain.source
    root = "name" if source.random() < 0.65 else domain.attributes.pop()
    words = domain.attributes
    tree = Tree(domain, root)
    spine = [root, *(words.pop(0) for _ in range(length))]
    if root != "name" and source.random() < 0.08:
        spine[-1] = "name"
    for given, output in pairwise(spine):
        tree.grow(given, output)
    kind = source.random()
    for _ in range(count - length):
        if is_alike:
            given = spine[-2]
        else:
            given = source.choice([root, spine[-2]]) if kind < 0.6 else source.choice([root, *tree.given])
        tree.grow(given, words.pop(0))
    return tree
