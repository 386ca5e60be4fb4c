"""
Downloads source archives of packages and unpacks the notebooks and example scripts in them.
`python fetch.py FOLDER NAME…`, by the package index that pip uses.
"""

from __future__ import annotations

import io
import os
import pathlib
import re
import ssl
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request


def get(address: str) -> bytes:
    certificates = os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE")
    context = ssl.create_default_context(cafile=certificates)
    with urllib.request.urlopen(address, timeout=120, context=context) as answer:
        return answer.read()


def index() -> str:
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    set_one = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return (os.environ.get("PIP_INDEX_URL") or set_one or "https://pypi.org/simple").rstrip("/")


def archive_of(asked: str) -> bytes:
    """
    The source archive of `name==version`, or the newest that is no preview. Every index has this page; only some have
    it as JSON.
    """
    name, _, version = asked.partition("==")
    page = f"{index()}/{name}/"
    links = re.findall(r'href="([^"]+?([\d.]+)\.tar\.gz)(?:#[^"]*)?"', get(page).decode())
    links = [link for link in links if version in ("", link[1].strip("."))]
    newest = max(links, key=lambda link: [int(part) for part in link[1].strip(".").split(".")])
    return get(urllib.parse.urljoin(page, newest[0]))


def unpack(name: str, folder: pathlib.Path) -> int:
    count = 0
    with tarfile.open(fileobj=io.BytesIO(archive_of(name))) as archive:
        for member in archive:
            path = pathlib.PurePosixPath(member.name)
            is_example = "examples" in path.parts and path.suffix == ".py"
            if not member.isfile() or ".." in path.parts or path.is_absolute():
                continue
            if path.suffix == ".ipynb" or is_example:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                file = archive.extractfile(member)
                if file is not None:
                    target.write_bytes(file.read())
                    count += 1
    return count


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[1])
    for package in sys.argv[2:]:
        print(package, unpack(package, place))
