"""Names that an attribute may not have, because every node already uses them."""

from .node import Node

RESERVED = frozenset(name for name in dir(Node) if not name.startswith("__")) | {"compute", "storage"}
