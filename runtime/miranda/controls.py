"""How a field is edited on its node."""

from __future__ import annotations


class Control:
    """The base of all controls. `describe` gives what the editor draws."""

    type = ""

    def describe(self) -> dict[str, object]:
        given = {name: value for name, value in vars(self).items() if value is not None}
        return {"type": self.type, **given}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class Text(Control):
    """
    A text.

    `multiline`: Several lines instead of one.
    `placeholder`: Shown while the field is empty.
    """

    type = "text"

    def __init__(self, multiline: bool | None = None, placeholder: str | None = None) -> None:
        self.multiline = multiline
        self.placeholder = placeholder


class Number(Control):
    """
    A number to type.

    `min`: The smallest value.
    `max`: The largest value.
    `step`: How much the arrows change the value. With a step of 1 it is a whole number.
    """

    type = "number"

    def __init__(self, min: float | None = None, max: float | None = None, step: float | None = None) -> None:
        self.min = min
        self.max = max
        self.step = step


class Slider(Control):
    """
    A number to slide.

    `min`: The value at the left end.
    `max`: The value at the right end.
    `step`: The distance between two values.
    """

    type = "slider"

    def __init__(self, min: float, max: float, step: float | None = None) -> None:
        self.min = min
        self.max = max
        self.step = step


class Select(Control):
    """
    One of several values.

    `options`: The values to choose from.
    """

    type = "select"

    def __init__(self, *options: str | float | bool) -> None:
        self.options = list(options)


class Toggle(Control):
    """On or off."""

    type = "toggle"


class Json(Control):
    """A list or an object, as JSON."""

    type = "json"


class Code(Control):
    """
    A text in a fixed-width font: a query, a pattern, a template.

    `language`: What it is written in, for example "sql".
    """

    type = "code"

    def __init__(self, language: str | None = None) -> None:
        self.language = language


class File(Control):
    """
    A file that a person uploads, of at most 10 MB. The node gets an `UploadedFile`, or `None` while there is none.

    `accept`: Which files can be chosen, for example ".csv,.txt".
    """

    type = "file"

    def __init__(self, accept: str | None = None) -> None:
        self.accept = accept


class Secret(Control):
    """Its value is hidden from those who may only read the graph."""

    type = "secret"


CONTROLS: dict[str, type[Control]] = {
    control.__name__: control for control in (Text, Number, Slider, Select, Toggle, Json, Code, File, Secret)
}
