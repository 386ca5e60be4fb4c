"""Files of the graph, put where the worker can read them."""

from __future__ import annotations

import base64
import os


def keep_file(folder: str, wanted: dict, content: str) -> str:
    """Writes beside and renames: a worker that looks meanwhile finds all of it or nothing."""
    # The name comes from whoever uploaded it, and the hash from node code that may ask for anything.
    name = os.path.basename(str(wanted["name"]).replace("\\", "/")).strip("\0") or "file"
    if not wanted["file"].isalnum() or name in (".", ".."):
        raise OSError("That is not a file of the graph.")
    own = os.path.join(folder, "files", wanted["file"])
    os.makedirs(own, exist_ok=True)
    path = os.path.join(own, name)
    part = os.path.join(folder, "files", f".{wanted['file']}.{wanted['question']}")
    with open(part, "wb") as out:
        out.write(base64.b64decode(content))
    os.replace(part, path)
    return path
