"""A file that a person uploaded to a File control, as node code sees it."""

# A field may hold a value of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO


class UploadedFile:
    """A file that is fetched when it is first read. `open(self.data)` works, and so does whatever takes a path."""

    def __init__(self, file: str, name: str, size: int, type: str) -> None:
        self.file = file
        self.name = name
        self.size = size
        self.type = type

    @property
    def path(self) -> Path:
        from pathlib import Path

        from . import services

        return Path(services.host.file(self))

    def __fspath__(self) -> str:
        return str(self.path)

    def open(self, mode: str = "rb", **options: Any) -> IO[Any]:
        return self.path.open(mode, **options)

    def read_bytes(self) -> bytes:
        return self.path.read_bytes()

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.path.read_text(encoding)

    def __repr__(self) -> str:
        return f"<UploadedFile {self.name}, {self.size} bytes>"


def file_value(value: Any) -> Any:
    """The graph holds which file it is; a node gets the file."""
    if isinstance(value, dict) and {"file", "name", "size", "type"} <= value.keys():
        return UploadedFile(str(value["file"]), str(value["name"]), int(value["size"]), str(value["type"]))
    return value
