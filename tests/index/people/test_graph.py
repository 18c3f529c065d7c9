"""A graph has only nodes that are connected to its centre."""

from index.people.graph import Graph, GraphNode, connected


def test_nodes_without_a_path_to_the_centre_are_left_out():
    nodes = tuple(GraphNode(key, key, "person") for key in ("p1", "p2", "p3", "p4", "p5"))
    edges = (("p1", "p2", 1.0), ("p3", "p2", 2.0), ("p4", "p5", 1.0), ("p1", "gone", 1.0))
    kept = connected(Graph(nodes, edges))
    assert [node.key for node in kept.nodes] == ["p1", "p2", "p3"]
    assert kept.edges == (("p1", "p2", 1.0), ("p3", "p2", 2.0))
