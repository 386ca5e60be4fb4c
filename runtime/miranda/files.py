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
    """
    A file that somebody uploaded to a `File` control. It is fetched when it is first read. `open(self.data)` works, and
    so does whatever takes a path. Node code does not make one.

    `file`: The hash of the content.
    `name`: The name of the file.
    `size`: Its size in bytes.
    `type`: Its media type, for example "text/csv".
    """

    def __init__(self, file: str, name: str, size: int, type: str) -> None:
        self.file = file
        self.name = name
        self.size = size
        self.type = type

    @property
    def path(self) -> Path:
        """Where the file is on the disk of the session."""
        from pathlib import Path

        from . import services

        return Path(services.host.file(self))

    def __fspath__(self) -> str:
        return str(self.path)

    def open(self, mode: str = "rb", **options: Any) -> IO[Any]:
        """
        Opens the file.

        `mode`: As of Python's `open`.
        `options`: As of Python's `open`, for example `encoding`.
        """
        return self.path.open(mode, **options)

    def read_bytes(self) -> bytes:
        """The whole content."""
        return self.path.read_bytes()

    def read_text(self, encoding: str = "utf-8") -> str:
        """
        The whole content as a text.

        `encoding`: How the text is stored.
        """
        return self.path.read_text(encoding)

    def __repr__(self) -> str:
        return f"<UploadedFile {self.name}, {_amount(self.size)}>"


def file_value(value: Any) -> Any:
    """The graph holds which file it is; a node gets the file."""
    if isinstance(value, dict) and {"file", "name", "size", "type"} <= value.keys():
        return UploadedFile(str(value["file"]), str(value["name"]), int(value["size"]), str(value["type"]))
    return value


#: In bytes. `outputFile` of contract/limits.ts has the same.
LARGEST_FILE = 10_000_000
LONGEST_NAME = 200
MEDIA_TYPE = "[a-z0-9][a-z0-9.+-]{0,63}/[a-z0-9][a-z0-9.+-]{0,126}"


class OutputFile:
    """
    A file for people to download: `show` it, or send it.

    `name`: The name of the file, of 1 to 200 characters.
    `content`: Bytes or a text, at most 10 MB.
    `type`: The media type. Without it, the name decides.
    """

    def __init__(self, name: str, content: bytes | bytearray | str, type: str = "") -> None:
        import re
        from mimetypes import guess_type

        if not isinstance(name, str) or not isinstance(content, (bytes, bytearray, str)):
            raise TypeError("A file has a name, which is a text, and a content of bytes or text.")
        plain = "".join(one for one in name.replace("\\", "/").rpartition("/")[2] if one.isprintable()).strip()
        if plain in ("", ".", "..") or len(plain) > LONGEST_NAME:
            raise ValueError(f"The name of a file has 1 to {LONGEST_NAME} characters.")
        self.name = plain
        self.content = content.encode() if isinstance(content, str) else bytes(content)
        if len(self.content) > LARGEST_FILE:
            raise ValueError(f"A file can have at most {LARGEST_FILE:,} bytes. This one has {len(self.content):,}.")
        given = str(type) or guess_type(plain)[0] or ""
        self.type = given if re.fullmatch(MEDIA_TYPE, given) else "application/octet-stream"

    def __repr__(self) -> str:
        return f"<OutputFile {self.name}, {_amount(len(self.content))}>"


def _amount(size: int) -> str:
    return "1 byte" if size == 1 else f"{size} bytes"
