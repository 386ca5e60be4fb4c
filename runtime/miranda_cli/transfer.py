"""`pull`, `push` and `diff`: a folder and the workflow on the server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .differences import Differences, compare
from .failures import FAILED, REFUSED, USAGE, Failure
from .folder import TOML, Files, Folder, find_folders, pack, unpack, write_files
from .logins import find_login, origin_of
from .printer import Printer, complain
from .server import Server, part

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
#: When somebody changes the workflow while we push, we begin again, at most this often.
MOST_TRIES = 5
WORKFLOWS_PER_PAGE = 100


def connect(wanted: str | None = None) -> Server:
    return Server(*find_login(origin_of(wanted) if wanted else None))


def find_id(given: str, server: str | None, what: str) -> tuple[str, str | None]:
    """The id in an address or by itself, and the address of its server. The last id of an address counts."""
    found = ID.findall(urlsplit(given).path if "//" in given else given)
    if not found or ("//" not in given and found[0] != given):
        raise Failure(f"{given} is not the id or the address of a {what}.", USAGE)
    return found[-1].lower(), server or (origin_of(given) if "//" in given else None)


def find_version(given: str) -> str:
    """The version in an address, as the screen links to it. Otherwise the workflow as it is."""
    asked = parse_qs(urlsplit(given).query).get("version", []) if "//" in given else []
    return asked[-1] if asked else "now"


def download(server: Server, workflow: str, version: str = "now") -> tuple[str, Files]:
    return unpack(server.download(f"/api/v3/graphs/{part(workflow)}/versions/{part(version)}/files"))


# Pull


def pull(
    server: Server, workflow: str, folder: Path | None, is_forced: bool, printer: Printer, version: str = "now"
) -> dict[str, Any]:
    name, files = download(server, workflow, version)
    path = folder or Path(name)
    if (path / TOML).exists():
        refuse_lost_edits(server, Folder(path), workflow, files, is_forced)
    elif path.is_dir() and any(path.iterdir()) and not is_forced:
        raise Failure(f"{path} is not empty, and no workflow. Choose another folder, or use --force.", USAGE)
    changed = write_files(path, files)
    printer.say(f"{path}: {'nothing new' if not changed else 'pulled ' + counted(len(changed), 'file')}")
    return {"workflow": workflow, "folder": str(path), "changed": changed}


def refuse_lost_edits(server: Server, folder: Folder, workflow: str, files: Files, is_forced: bool) -> None:
    """A pull writes over the folder, so what was edited there has to be on the server, or be given up."""
    if folder.workflow_id not in (None, workflow) and not is_forced:
        raise Failure(f"{folder.path} holds another workflow. Choose another folder, or use --force.", USAGE)
    if is_forced:
        return
    own = folder.files()
    if not compare(files, own, ("server", "folder")):
        return
    try:
        before = download(server, workflow, folder.version_id)[1] if folder.version_id else {}
    except Failure as failure:
        if failure.reason not in ("version_not_found", "graph_not_found"):
            raise
        before = {}
    edited = compare(before, own, ("server", "folder")) if before else compare(files, own, ("server", "folder"))
    if edited:
        raise Failure(
            f"{folder.path} has changes that are not on the server: {', '.join(named(edited))}. "
            "Push them first, or use --force to give them up.",
            FAILED,
        )


def named(found: Differences) -> list[str]:
    names = [name for name, _ in found.code] + [field for field, _, _ in found.fields]
    return names[:5] + (["…"] if len(names) > 5 else [])


def pull_project(
    server: Server, project: str, folder: Path | None, is_forced: bool, printer: Printer
) -> dict[str, Any]:
    details = server.get(f"/api/v3/projects/{part(project)}")["project"]
    root = folder or Path(re.sub(r"[^\w.-]+", "-", str(details["name"])).strip(".-") or "project")
    there = {one.workflow_id: one.path for one in find_folders(root)} if any(root.glob(f"*/{TOML}")) else {}
    taken = {path.name.lower() for path in root.glob("*")}
    pulled: list[dict[str, Any]] = []
    for workflow in workflows_of(server, project):
        path = there.get(workflow["id"]) or root / free_name(str(workflow["name"]), taken)
        pulled.append(pull(server, workflow["id"], path, is_forced, printer))
    return {"project": project, "folder": str(root), "workflows": pulled}


def workflows_of(server: Server, project: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after: str | None = None
    while True:
        page = server.get(f"/api/v3/projects/{part(project)}/graphs", limit=WORKFLOWS_PER_PAGE, after=after)
        found.extend(page)
        if len(page) < WORKFLOWS_PER_PAGE:
            return sorted(found, key=lambda one: int(one["metadata_id"]))
        after = page[-1]["id"]


def free_name(name: str, taken: set[str]) -> str:
    base = re.sub(r"[^\w.-]+", "-", name).strip(".-").lower()[:80] or "workflow"
    wanted, count = base, 1
    while wanted in taken:
        count += 1
        wanted = f"{base}-{count}"
    taken.add(wanted)
    return wanted


# Diff


def diff(server: Server, folder: Folder, printer: Printer) -> tuple[dict[str, Any], bool]:
    found = compare(download(server, id_of(folder))[1], folder.files(), ("server", "folder"))
    if found:
        printer.say(found.as_text())
    return {"folder": str(folder.path), **found.as_json()}, bool(found)


def id_of(folder: Folder) -> str:
    if folder.workflow_id is None:
        words = f"{folder.path} is not on the server yet. Use: miranda push --new-in <project> {folder.path}"
        raise Failure(words, USAGE)
    return folder.workflow_id


# Push


def push(server: Server, folder: Folder, winner: str | None, printer: Printer) -> dict[str, Any]:
    """`winner` is the side that wins every conflict: "mine" is this folder, "theirs" is the server."""
    workflow = id_of(folder)
    path = f"/api/v3/graphs/{part(workflow)}/files"
    zipped = pack(folder.files())
    for tries in range(MOST_TRIES):
        preview = server.upload(f"{path}/preview", zipped)
        conflicts = preview["conflicts"]
        if conflicts and winner is None:
            return refuse_conflicts(folder, conflicts, printer)
        # On the server "mine" is the workflow there, and "theirs" is what comes to it.
        side = "theirs" if winner == "mine" else "mine"
        changes = counts_of(preview["comparison"])
        if not sum(changes.values()) and (not conflicts or side == "mine"):
            write_files(folder.path, download(server, workflow)[1])
            printer.say(f"{folder.path}: nothing to push")
            return {"folder": str(folder.path), "pushed": False, "conflicts": [], **changes}
        fields = {
            "theirs_revision": str(preview["theirs_revision"]),
            "mine_revision": str(preview["mine_revision"]),
            "resolutions": json.dumps({one["id"]: side for one in conflicts}),
        }
        try:
            server.upload(path, zipped, fields)
        except Failure as failure:
            if failure.reason != "merge_outdated" or tries == MOST_TRIES - 1:
                raise
            continue
        write_files(folder.path, download(server, workflow)[1])
        printer.say(f"{folder.path}: pushed {counted(sum(changes.values()), 'change')}")
        return {"folder": str(folder.path), "pushed": True, "conflicts": [], **changes}
    raise Failure("The workflow changes all the time. Try again later.", REFUSED)


def counts_of(comparison: dict[str, Any]) -> dict[str, int]:
    return {name: len(comparison[name]) for name in ("nodes", "edges", "groups")}


def refuse_conflicts(folder: Folder, conflicts: list[dict[str, Any]], printer: Printer) -> dict[str, Any]:
    shown = [
        {
            "node": one["name"],
            "kind": one["kind"],
            "field": one["field"],
            "base": one["base"],
            "folder": one["theirs"],
            "server": one["mine"],
        }
        for one in conflicts
    ]
    if not printer.is_json:
        complain(f"{folder.path}: {counted(len(conflicts), 'conflict')}. Nothing was pushed.")
        for one in shown:
            complain(f"  {one['node']} ({one['kind']} {one['field']})")
            for side in ("base", "server", "folder"):
                complain(f"    {side}: {brief(one[side])}")
        complain("Use --mine to keep this folder's side, or --theirs to keep the server's.")
    return {"folder": str(folder.path), "pushed": False, "conflicts": shown}


def brief(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.strip("\n").replace("\n", "\n            ")


def push_new(server: Server, folder: Folder, project: str, printer: Printer) -> dict[str, Any]:
    created = server.upload("/api/v3/graphs/files", pack(folder.files()), {"project_id": project})
    write_files(folder.path, download(server, created["id"])[1])
    printer.say(f"{folder.path}: created the workflow {created['id']}")
    return {"folder": str(folder.path), "workflow": created["id"], "pushed": True, "conflicts": []}


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
