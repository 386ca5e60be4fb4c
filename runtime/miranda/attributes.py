"""The attributes that a node declares: its receivers, transmitters, fields and constants."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, overload

    from .controls import Control
    from .node import Outlet

ShownWhen = dict[str, list[dict[str, Any]]]
Value = TypeVar("Value")


class Attribute:
    direction = ""
    kind = "any"
    value: Any = None
    control: Control | None = None
    shown_when: ShownWhen | None = None
    edge_text = ""
    optional = False
    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def describe(self) -> dict[str, Any]:
        described: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind.lower(),
            "direction": self.direction,
            "value": self.value,
            "is_connected": False,
            "control": self.control.describe() if self.control else None,
            "edge_text": self.edge_text,
            "shown_when": self.shown_when,
        }
        if self.optional:
            described["optional"] = True
        return described

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Receiver(Attribute):
    """
    A value from another node. While `run` runs, the attribute holds the value.

    `kind`: What the value is, for example "table". Only ports of the same kind can be connected; "any" fits all.
    `optional`: An optional receiver does not hold its node back while it is empty, even if its value is on the way.
    `edge_text`: A text beside the edges of this port.
    `shown_when`: Shows the port only while fields have certain values: `{"mode": [{"value": "safe"}]}`.
    """

    direction = "RECEIVER"

    def __init__(
        self,
        kind: str = "any",
        *,
        optional: bool = False,
        edge_text: str = "",
        shown_when: ShownWhen | None = None,
    ) -> None:
        self.kind = kind
        self.optional = optional
        self.edge_text = edge_text
        self.shown_when = shown_when

    if TYPE_CHECKING:
        # An instance holds the value under this name; the class holds this.
        @overload
        def __get__(self, instance: None, owner: type) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type) -> Any: ...
        def __get__(self, instance: object, owner: type) -> Any: ...
        def __set__(self, instance: object, value: Any) -> None: ...


class Transmitter(Attribute):
    """
    Where a node sends values: `self.name.send(value)`.

    `kind`: What the values are, for example "table".
    `edge_text`: A text beside the edges of this port.
    `shown_when`: Shows the port only while fields have certain values.
    """

    direction = "TRANSMITTER"

    def __init__(self, kind: str = "any", *, edge_text: str = "", shown_when: ShownWhen | None = None) -> None:
        self.kind = kind
        self.edge_text = edge_text
        self.shown_when = shown_when

    def send(self, value: Any) -> None:
        """
        Sends a value to every node that is connected to this transmitter: any number of times, from threads too.

        `value`: Whatever the connected nodes should receive. Each of them gets its own copy.
        """
        raise TypeError(f"Send through an instance: self.{self.name}.send(...)")

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type) -> Outlet: ...
        def __get__(self, instance: object, owner: type) -> Any: ...


class Valued(Attribute, Generic[Value]):
    """What has a value of its own: on an instance, its name is that value."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type) -> Value: ...
        def __get__(self, instance: object, owner: type) -> Any: ...
        def __set__(self, instance: object, value: Value) -> None: ...


class Field(Valued[Value]):
    """
    A setting. Code holds the default, the graph holds what people set. On an instance, the attribute is the value.

    `value`: The default. Its type decides the kind and the control, unless they are given.
    `kind`: What the value is: "int", "float", "string", "boolean", "json", "file" or a word of your own.
    `control`: How the field is edited on its node, for example `Slider(1, 200)`.
    `edge_text`: A text beside the edges of this field.
    `shown_when`: Shows the field only while other fields have certain values.
    """

    direction = "RECEIVER_FIELD"

    if TYPE_CHECKING:
        # Without a default it may become anything.
        @overload
        def __init__(
            self: Field[Any],
            value: None = None,
            *,
            kind: str | None = None,
            control: Control | None = None,
            edge_text: str = "",
            shown_when: ShownWhen | None = None,
        ) -> None: ...
        @overload
        def __init__(
            self,
            value: Value,
            *,
            kind: str | None = None,
            control: Control | None = None,
            edge_text: str = "",
            shown_when: ShownWhen | None = None,
        ) -> None: ...

    def __init__(
        self,
        value: Any = None,
        *,
        kind: str | None = None,
        control: Control | None = None,
        edge_text: str = "",
        shown_when: ShownWhen | None = None,
    ) -> None:
        self.value = value
        self.control = control or control_for(value)
        self.kind = kind or ("file" if self.control.type == "file" else kind_of(value))
        self.edge_text = edge_text
        self.shown_when = shown_when


class Constant(Valued[Value]):
    """
    A value that other nodes can use for a field.

    `value`: The value. People who use the node cannot change it.
    `kind`: What the value is. Without it, the type of the value decides.
    `edge_text`: A text beside the edges of this port.
    `shown_when`: Shows the port only while fields have certain values.
    """

    direction = "TRANSMITTER_FIELD"

    def __init__(
        self, value: Any = None, *, kind: str | None = None, edge_text: str = "", shown_when: ShownWhen | None = None
    ) -> None:
        self.value = value
        self.kind = kind or kind_of(value)
        self.edge_text = edge_text
        self.shown_when = shown_when


ATTRIBUTES: dict[str, type[Attribute]] = {
    attribute.__name__: attribute for attribute in (Receiver, Transmitter, Field, Constant)
}


def kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "string"
    return "any" if value is None else "json"


def control_for(value: Any) -> Control:
    """The control of a field that names none."""
    from . import controls

    if isinstance(value, bool):
        return controls.Toggle()
    if isinstance(value, int):
        return controls.Number(step=1)
    if isinstance(value, float):
        return controls.Number()
    return controls.Json() if isinstance(value, (list, dict, tuple)) else controls.Text()


def attributes_of(node_class: type) -> dict[str, Attribute]:
    """In the order they are declared, base classes first."""
    found: dict[str, Attribute] = {}
    for base in reversed(node_class.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Attribute):
                found[name] = value
            elif name in found:
                del found[name]
    return found
