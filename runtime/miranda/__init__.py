"""What node code imports. See docs/node-sdk.md."""

from .attributes import Constant, Field, Receiver, Transmitter
from .controls import Code, File, Json, Number, Secret, Select, Slider, Text, Toggle
from .files import OutputFile, UploadedFile
from .node import Node
from .services import StorageError, ask_password, log, log_metric, log_model, progress, secret, show, storage
from .version import VERSION as __version__

__all__ = [
    "Code",
    "Constant",
    "Field",
    "File",
    "Json",
    "Node",
    "Number",
    "OutputFile",
    "Receiver",
    "Secret",
    "Select",
    "Slider",
    "StorageError",
    "Text",
    "Toggle",
    "Transmitter",
    "UploadedFile",
    "__version__",
    "ask_password",
    "log",
    "log_metric",
    "log_model",
    "progress",
    "secret",
    "show",
    "storage",
]
