"""Which servers a person is logged in to. The file holds access tokens, so only its owner may read it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from miranda_agent.message_checks import is_object

from .failures import REFUSED, USAGE, Failure


def config_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA") or os.path.expanduser("~/.config")
    return Path(base) / "miranda" / "logins.json"


def origin_of(url: str) -> str:
    """The address of a server, from any address on it."""
    parts = urlsplit(url if "//" in url else f"https://{url}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Failure(f"{url} is not the address of a server.", USAGE)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    try:
        port = parts.port
    except ValueError:
        raise Failure(f"{url} is not the address of a server.", USAGE) from None
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}"


def read_logins() -> dict[str, Any]:
    try:
        refuse_other_readers(config_file())
        found = json.loads(config_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"default": None, "servers": {}}
    except (OSError, ValueError) as error:
        raise Failure(f"{config_file()} cannot be read: {error}", USAGE) from None
    if not is_object(found) or not is_object(found.get("servers")) or "default" not in found:
        raise Failure(f"{config_file()} is not a file of logins. Delete it and log in again.", USAGE)
    return found


def refuse_other_readers(path: Path) -> None:
    """Somebody may have copied the file with another mode. Its tokens are passwords."""
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise Failure(f"Others on this machine may read {path}. Use: chmod 600 {path}", USAGE)


def save_login(url: str, token: str, username: str) -> Path:
    logins = read_logins()
    logins["servers"][url] = {"token": token, "username": username}
    logins["default"] = url
    path = config_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    # Create it with its mode. Otherwise others could read it for a moment.
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(logins, file, indent=2)
    os.replace(draft, path)
    return path


def find_login(wanted: str | None) -> tuple[str, str]:
    """
    The address and the token of a server: the wanted one, else of the environment, else the one of the last login. A
    token from the environment goes only to the server that the environment names with it.
    """
    url, token = os.environ.get("MIRANDA_URL"), os.environ.get("MIRANDA_TOKEN")
    if token and not url:
        raise Failure("MIRANDA_TOKEN is set. Set MIRANDA_URL to the address of its server too.", USAGE)
    if url and token and (wanted is None or origin_of(url) == wanted):
        return origin_of(url), token
    logins = read_logins()
    chosen = wanted or (origin_of(url) if url else logins["default"])
    if chosen is None:
        raise Failure("You are not logged in. Use: miranda login <address of your server>", REFUSED)
    login = logins["servers"].get(chosen)
    if login is None:
        raise Failure(f"You are not logged in to {chosen}. Use: miranda login {chosen}", REFUSED)
    return chosen, str(login["token"])
