"""Names that an attribute may not take, because every node has something else under them."""

from .node import Node

RESERVED = frozenset(name for name in dir(Node) if not name.startswith("__")) | {"compute", "storage"}
