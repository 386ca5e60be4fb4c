"""What node code imports. See docs/node-sdk.md."""

from .attributes import Constant, Field, Receiver, Transmitter
from .controls import Json, Number, Secret, Select, Slider, Text, Toggle
from .node import Node
from .services import ask_password, log, log_model, secret, show, storage
from .version import VERSION as __version__

__all__ = [
    "Constant",
    "Field",
    "Json",
    "Node",
    "Number",
    "Receiver",
    "Secret",
    "Select",
    "Slider",
    "Text",
    "Toggle",
    "Transmitter",
    "ask_password",
    "log",
    "log_model",
    "secret",
    "show",
    "storage",
    "__version__",
]
