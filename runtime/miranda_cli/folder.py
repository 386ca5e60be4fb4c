"""A workflow as a folder of files: `workflow.toml`, `nodes/` and `files/`."""

from __future__ import annotations

import io
import os
import re
import secrets
import tomllib
import unicodedata
import zipfile
import zlib
from pathlib import Path
from typing import Any

from miranda_agent.message_checks import is_object

from .failures import USAGE, Failure

TOML = "workflow.toml"
#: What a file name cannot have on some file systems.
SIGN = r'[^\x00-\x1f\x7f-\x9f/\\:*?"<>|]'
#: What a zip of the server may hold. A name with a dot first would be hidden.
PATHS = re.compile(rf"(?:workflow\.toml|nodes/(?!\.){SIGN}{{1,200}}\.py|files/(?!\.){SIGN}{{1,250}})\Z")
#: Windows opens a device instead of a file of this name.
DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?\Z", re.IGNORECASE)
MOST_FILES = 30_000
LARGEST = 256 * 1024 * 1024
Files = dict[str, bytes]


class Folder:
    """One workflow on this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.toml = read_toml(path / TOML)

    @property
    def name(self) -> str:
        return str(self.toml.get("workflow", {}).get("name") or self.path.resolve().name)

    @property
    def workflow_id(self) -> str | None:
        return self.toml.get("workflow", {}).get("id")

    @property
    def version_id(self) -> str | None:
        return self.toml.get("workflow", {}).get("version")

    def files(self) -> Files:
        """What belongs to the workflow. Other files in the folder are left alone."""
        found = {TOML: read(self.path, TOML)}
        nodes = self.path / "nodes"
        for path in sorted(nodes.glob("*.py")) if nodes.is_dir() else ():
            found[f"nodes/{path.name}"] = read(self.path, f"nodes/{path.name}")
        for name in uploads_in(self.toml):
            found[name] = read(self.path, name)
        return found


def find_folders(path: Path) -> list[Folder]:
    """The workflow in a folder, or those in its subfolders: a project."""
    if (path / TOML).is_file():
        return [Folder(path)]
    inner = sorted(file.parent for file in path.glob(f"*/{TOML}")) if path.is_dir() else []
    if not inner:
        raise no_workflow(path)
    return [Folder(one) for one in inner]


def no_workflow(path: Path) -> Failure:
    """The whole path is named: `.` alone says nothing, and before a full stop it reads as the folder above."""
    where = path.resolve()
    if not where.is_dir():
        return Failure(f"There is no folder {where}", USAGE)
    return Failure(f"No workflow is in {where}\nFetch one first: miranda pull <id or address> <folder>", USAGE)


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise no_workflow(path.parent) from None


def parse_toml(text: bytes, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.decode("utf-8-sig").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Failure(f"{where}: {error}", USAGE) from None


def uploads_in(toml: dict[str, Any]) -> list[str]:
    """The paths of the uploaded files that values name."""
    found: dict[str, None] = {}
    for values in dict(toml.get("values", {})).values():
        for value in dict(values).values():
            if is_object(value) and isinstance(value.get("file"), str):
                found[value["file"]] = None
    return list(found)


def read(folder: Path, name: str) -> bytes:
    """A file of the folder, and of nowhere else: a path or a link must not send other files of this machine."""
    path = folder / name
    inside = path.resolve()
    if "\\" in name or not inside.is_relative_to(folder.resolve()):
        raise Failure(f"{name} leads out of its folder.", USAGE)
    # Such as .git/config, which may hold a password, or .env.
    if any(one.startswith(".") for one in inside.relative_to(folder.resolve()).parts):
        raise Failure(f"{name} leads to a hidden file. Hidden files are not part of a workflow.", USAGE)
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise Failure(f"The file {name} is missing.", USAGE) from None


def pack(files: Files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in files.items():
            zipped.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def unpack(data: bytes) -> tuple[str, Files]:
    """The name of the folder in a zip of the server, and its files."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            entries = zipped.infolist()
            if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > LARGEST:
                raise Failure("The workflow is too large for this command.")
            top = entries[0].filename.partition("/")[0] if entries else ""
            refuse_strange_names([entry.filename for entry in entries], top)
            files = {entry.filename.partition("/")[2]: zipped.read(entry) for entry in entries}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError, NotImplementedError):
        raise Failure("The server's answer is not a zip file that can be read.") from None
    if TOML not in files:
        raise Failure(f"The server sent no {TOML}.")
    return re.sub(r"[^\w.-]+", "-", top).strip(".-") or "workflow", files


def refuse_strange_names(names: list[str], top: str) -> None:
    """Before anything is unpacked: what is written to this machine is decided by the names alone."""
    seen: set[str] = set()
    for full in names:
        folder, _, name = full.partition("/")
        if folder != top or not PATHS.match(name) or DEVICES.match(name.rpartition("/")[2]):
            raise Failure(f"The server sent a file that is not part of a workflow: {full[:200]}")
        # On many laptops two such files would be one.
        same = unicodedata.normalize("NFC", name).casefold()
        if same in seen:
            raise Failure(f"The server sent two files of the same name: {full[:200]}")
        seen.add(same)


def refuse_links_out(path: Path, names: list[str]) -> None:
    """Before anything is written or removed: a link in the folder must not change files elsewhere."""
    root = path.resolve()
    for name in names:
        if not (path / name).resolve().is_relative_to(root) or not (path / name).parent.resolve().is_relative_to(root):
            raise Failure(f"{name} leads out of its folder.", USAGE)


def write_files(path: Path, files: Files) -> list[str]:
    """Makes the folder hold these files, and returns what changed. Only files of the workflow are removed."""
    before: set[str] = set()
    if (path / TOML).is_file():
        toml = read_toml(path / TOML)
        before = {f"nodes/{key}.py" for key in dict(toml.get("nodes", {}))} | set(uploads_in(toml))
    changed: list[str] = []
    gone = [name for name in sorted(before - set(files)) if PATHS.match(name) and (path / name).is_file()]
    refuse_links_out(path, [*gone, *files])
    for name in gone:
        (path / name).unlink()
        changed.append(name)
    # Write the toml last. When we are interrupted, it still names the version that the files are compared with.
    for name in sorted(files, key=lambda one: (one == TOML, one)):
        target = path / name
        if target.is_file() and target.read_bytes() == files[name]:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        # A new file: a link of this name, prepared by somebody, would be followed otherwise.
        draft = target.with_name(f".{secrets.token_hex(8)}")
        with draft.open("xb") as file:
            file.write(files[name])
        os.replace(draft, target)
        changed.append(name)
    return changed
