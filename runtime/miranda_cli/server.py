"""Calls of the server's API."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.parse import quote, urlencode

from .failures import REFUSED, Failure

TIMEOUT = 120.0
#: After too many calls the server says how long to wait. When that is longer than this, we give up.
LONGEST_WAIT = 90
MOST_TRIES = 4
#: The largest workflow as a zip is smaller. A server must not fill our memory.
LARGEST_ANSWER = 320 * 1024 * 1024


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token to another address."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


class Server:
    def __init__(self, url: str, token: str | None) -> None:
        self.url = url
        self.token = token
        self.opener = urllib.request.build_opener(NoRedirects)

    def get(self, path: str, **query: Any) -> Any:
        return read_json(self.call("GET", with_query(path, query)))

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return read_json(self.call("POST", path, json.dumps(body or {}).encode(), "application/json"))

    def put(self, path: str) -> Any:
        return read_json(self.call("PUT", path, b"{}", "application/json"))

    def download(self, path: str) -> bytes:
        return self.call("GET", path)

    def upload(self, path: str, zipped: bytes, fields: dict[str, str] | None = None) -> Any:
        body, kind = form(zipped, fields or {})
        return read_json(self.call("POST", path, body, kind))

    def call(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        for tries in range(1, MOST_TRIES + 1):
            request = urllib.request.Request(self.url + path, body, method=method)
            request.add_header("Accept", "application/json, */*")
            if kind:
                request.add_header("Content-Type", kind)
            if self.token:
                request.add_header("Authorization", f"Bearer {self.token}")
            try:
                with self.opener.open(request, timeout=TIMEOUT) as answer:
                    body_read = answer.read(LARGEST_ANSWER + 1)
                    if len(body_read) > LARGEST_ANSWER:
                        raise Failure(f"The answer of {self.url} is too large for this command.", REFUSED)
                    return body_read
            except urllib.error.HTTPError as error:
                wait = seconds_in(str(error.headers.get("Retry-After"))) if error.code == 429 else 0
                if 0 < wait <= LONGEST_WAIT and tries < MOST_TRIES:
                    time.sleep(wait)
                    continue
                raise refusal(self.url, error.code, error, str(error.headers.get("X-Miranda-Error") or "")) from None
            except (OSError, HTTPException) as error:
                reason = getattr(error, "reason", error)
                raise Failure(f"{self.url} cannot be reached: {reason}", REFUSED) from None
        raise AssertionError("unreachable")


def seconds_in(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def refusal(url: str, status: int, body: IO[bytes], reason: str) -> Failure:
    if 300 <= status < 400:
        return Failure(f"{url} sends us to another address. Log in with that address.", REFUSED)
    words = body.read(4_000).decode("utf-8", "replace").strip()
    if not reason:
        words = f"{url} answered {status}. Is it the address of a Miranda server?"
    elif reason == "not_signed_in":
        words = f"Your access token for {url} is no longer valid. Use: miranda login {url}"
    return Failure(words, REFUSED, reason)


def read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise Failure("The server's answer cannot be read. Is it the address of a Miranda server?", REFUSED) from None


def with_query(path: str, query: dict[str, Any]) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def part(name: str) -> str:
    """A part of a path."""
    return quote(name, safe="")


def form(zipped: bytes, fields: dict[str, str]) -> tuple[bytes, str]:
    """A multipart form with a zip."""
    edge = f"miranda-{os.urandom(16).hex()}"
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{edge}\r\nContent-Disposition: form-data; name="zip"; filename="workflow.zip"\r\n'
    parts.append(head.encode() + b"Content-Type: application/zip\r\n\r\n" + zipped + b"\r\n")
    return b"".join([*parts, f"--{edge}--\r\n".encode()]), f"multipart/form-data; boundary={edge}"
