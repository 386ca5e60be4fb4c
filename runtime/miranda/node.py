"""The base of every node, usable with or without the platform around it."""

from __future__ import annotations

from typing import Any, cast

from .attributes import Attribute, Constant, Field, Receiver, Transmitter, attributes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from typing import Literal, Self


class Outlet:
    """A transmitter of one instance. Without a graph it keeps what was sent, for tests to look at."""

    __slots__ = ("_deliver", "name", "sent")

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent: list[Any] = []
        self._deliver: Any = None

    def send(self, value: Any) -> None:
        """Sends a value to every node that is joined to this transmitter: any number of times, from threads too."""
        deliver = self._deliver
        if deliver is None:
            self.sent.append(value)
        else:
            deliver(self.name, value)

    def __repr__(self) -> str:
        return f"<Transmitter {self.name}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Through it a copy would reach the whole graph.
        raise TypeError("A transmitter cannot be copied.")


class Node:
    """
    The base of every node. Attributes are declared on the class. `setup` runs once per session when asked, `run`
    whenever every connected, non-optional receiver has a value waiting.
    """

    #: Set to False on a class whose runs must never be skipped, to "project" to use the results of earlier sessions.
    cache: bool | Literal["project"] = True

    # In __new__, not __init__: a node that defines its own __init__ need not call ours.
    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        self = super().__new__(cls)
        for name, attribute in attributes_of(cls).items():
            self.__dict__[name] = initial_value(attribute)
        return self

    def setup(self) -> None:
        """Called once per session by **Run Node Setup**. Load here what every run needs."""

    def run(self) -> None:
        """What the node does. It may also be `async def run`."""

    @property
    def log(self) -> logging.Logger:
        """A logger with the name of the node: `self.log.info("epoch %d", epoch)`."""
        import logging

        name = self.__dict__.get("_miranda_name") or type(self).__name__
        return logging.getLogger(name)

    def show(self, value: Any, *, id: str | None = None, **metadata: Any) -> None:
        """
        Shows a value at the node, as `show` does.

        `value`: A table, a figure, a picture, HTML, or anything else that Jupyter could display.
        `id`: An output with an id replaces the one that the node has shown under that id in this run.
        `metadata`: Kept with the output, as in Jupyter.
        """
        from .services import show

        show(value, id=id, **metadata)


def initial_value(attribute: Attribute) -> Any:
    if isinstance(attribute, Transmitter):
        return Outlet(attribute.name)
    if isinstance(attribute, Receiver):
        return None
    if isinstance(attribute, (Field, Constant)):
        value = attribute.value
        # A list or dict of the class would be shared by every instance and survive the session's changes.
        return cast("list[Any]", value).copy() if isinstance(value, (list, dict)) else value
    return None
