"""AWS Signature Version 4: proves to the server that the client has the secret key, without sending it."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote

NOTHING = hashlib.sha256(b"").hexdigest()
ALGORITHM = "AWS4-HMAC-SHA256"


class Keys(NamedTuple):
    access: str
    secret: str


def query_text(query: dict[str, str]) -> str:
    """In the one order and spelling that both ends sign."""
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in sorted(query.items()))


def sign(
    method: str,
    host: str,
    path: str,
    query: dict[str, str],
    content_hash: str,
    region: str,
    keys: Keys,
    now: datetime | None = None,
) -> dict[str, str]:
    """The headers that make a request ours. `path` is quoted already."""
    now = now or datetime.now(UTC)
    moment, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    headers = {"host": host, "x-amz-content-sha256": content_hash, "x-amz-date": moment}
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    canonical = "\n".join((method, path, query_text(query), lines, names, content_hash))
    scope = f"{day}/{region}/s3/aws4_request"
    text = "\n".join((ALGORITHM, moment, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{keys.secret}".encode()
    for part in (day, region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"{ALGORITHM} Credential={keys.access}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {**headers, "authorization": credential}
