"""The dependency graph G: its shapes, and that both domains, read off their own tasks, have the same one."""

import re
from collections import defaultdict

import networkx
import pytest
from networkx.algorithms.isomorphism import DiGraphMatcher

from openagent_lib.randomness import rng
from openagent_lib.sandbox.builder import draw_task
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, load_world
from openagent_lib.sandbox.graph import (
    ATTRIBUTES,
    COMPUTATIONS,
    FUNCTIONS,
    INVERTIBLE,
    RULES,
    SHAPE_NAMES,
    SHAPES,
    UNIQUE_ATTRIBUTES,
)

REFERENCE = re.compile(r"\$(\d+)")
QUESTIONS = [(shape, key) for shape in SHAPES.values() for key in shape.attributes or (None,)]


def drawn_tasks(name, count=300):
    """Return tasks of a domain over every shape and attribute in turn, drawn from the domain's own generator."""
    world = load_world(name, "train", 0)
    return [
        draw_task(rng("graph", name, index), world, shape, "train", "train", 0, attribute)
        for index in range(count)
        for shape, attribute in (QUESTIONS[index % len(QUESTIONS)],)
    ]


def dependency_graph(tasks):
    """Return the graph of visible tool names; an edge leads from a tool to one that takes its value.

    Nodes carry the positions in chains at which the tool was called, edges the pairs of positions that they join.
    """
    nodes, edges = defaultdict(set), defaultdict(set)
    for task in tasks:
        names = [task.tool_for(call.function).name for call in task.gold_chain]
        for place, (name, call) in enumerate(zip(names, task.gold_chain, strict=True)):
            nodes[name].add((task.shape, place))
            for _, text in call.arguments:
                for source in map(int, REFERENCE.findall(text)):
                    edges[names[source], name].add((task.shape, source, place))
    graph = networkx.DiGraph()
    graph.add_nodes_from((name, {"places": frozenset(places)}) for name, places in nodes.items())
    graph.add_edges_from((*pair, {"places": frozenset(places)}) for pair, places in edges.items())
    return graph


GRAPHS = {name: dependency_graph(drawn_tasks(name)) for name in DOMAINS}


def matcher(left, right):
    def same(one, other):
        return one["places"] == other["places"]

    return DiGraphMatcher(left, right, node_match=same, edge_match=same)


def test_the_weights_of_the_shapes_sum_to_120():
    assert sum(shape.weight for shape in SHAPES.values()) == 120
    assert min(shape.weight for shape in SHAPES.values()) > 0


def test_a_function_or_shape_is_filed_under_its_own_name():
    assert all(name == function.name for name, function in FUNCTIONS.items())
    assert SHAPE_NAMES == tuple(SHAPES) == tuple(shape.name for shape in SHAPES.values())


def test_chains_have_one_to_four_calls():
    assert {len(shape.chain) for shape in SHAPES.values()} == {1, 2, 3, 4}


def test_some_chains_branch_and_some_compute():
    branching, computing = set(), set()
    for shape in SHAPES.values():
        texts = [" ".join(arguments.values()) for _, arguments in shape.chain]
        if any(len(set(REFERENCE.findall(text))) > 1 for text in texts):
            branching.add(shape.name)
        if any(function in COMPUTATIONS for function, _ in shape.chain):
            computing.add(shape.name)
    assert branching == {"difference", "gap", "duration"}
    assert computing == {"reduction", "conversion", "total", "difference", "duration"}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)
def test_every_call_gets_values_of_the_kinds_that_it_takes(shape):
    kinds = []
    for function, arguments in shape.chain:
        node = FUNCTIONS[function.replace("*", shape.attributes[0]) if shape.attributes else function]
        assert set(arguments) == set(node.takes)
        for slot, text in arguments.items():
            whole = REFERENCE.fullmatch(text)
            if whole:
                assert kinds[int(whole[1])] == node.takes[slot]
            elif node.name != "calculate":
                assert text.strip("{}").removeprefix("other_") == node.takes[slot]
            assert all(int(number) < len(kinds) for number in REFERENCE.findall(text))
        kinds.append(node.returns)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)
def test_every_call_but_the_last_feeds_a_later_one(shape):
    used = {
        int(number) for _, by_slot in shape.chain for text in by_slot.values() for number in REFERENCE.findall(text)
    }
    assert used == set(range(len(shape.chain) - 1))


def test_rules_are_computations_and_what_is_invertible_names_one_entity():
    assert set(RULES) < set(COMPUTATIONS) < set(FUNCTIONS)
    assert set(INVERTIBLE) == {"find", *(f"get_{key}" for key in UNIQUE_ATTRIBUTES)}
    assert set(UNIQUE_ATTRIBUTES) < set(ATTRIBUTES)


def test_every_function_is_called_by_some_chain():
    assert all(len(graph) == len(FUNCTIONS) for graph in GRAPHS.values())


def test_the_visible_words_of_the_domains_have_no_tool_name_in_common():
    assert set(GRAPHS["poi"]).isdisjoint(GRAPHS["medical"])


def test_the_dependency_graphs_of_the_domains_are_mapped_onto_each_other_by_function():
    poi, medical = GRAPHS["poi"], GRAPHS["medical"]
    other = {text.name: get_domain("medical").texts[text.function].name for text in get_domain("poi").tools}
    mapped = networkx.relabel_nodes(poi, other)
    assert dict(mapped.nodes(data=True)) == dict(medical.nodes(data=True))
    assert {edge[:2]: edge[2] for edge in mapped.edges(data=True)} == {
        edge[:2]: edge[2] for edge in medical.edges(data=True)
    }


def test_an_isomorphism_that_keeps_positions_is_found_without_knowing_the_functions():
    found = matcher(GRAPHS["poi"], GRAPHS["medical"])
    assert found.is_isomorphic()
    functions = {name: {text.name: text.function for text in get_domain(name).tools} for name in DOMAINS}
    mapping = {functions["poi"][one]: functions["medical"][other] for one, other in found.mapping.items()}
    moved = {function for function, other in mapping.items() if function != other}
    alike = {"get_contact", "get_permit", "get_window"}
    assert moved <= alike, "only these play the same part in every chain"


def test_a_graph_with_one_dependency_less_is_not_isomorphic():
    for edge in GRAPHS["medical"].edges:
        damaged = GRAPHS["medical"].copy()
        damaged.remove_edge(*edge)
        assert not matcher(GRAPHS["poi"], damaged).is_isomorphic()
