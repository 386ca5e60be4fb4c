"""
A small HTTP client for buckets: it keeps connections open, sends pieces of files as bodies, and retries requests.
"""

from __future__ import annotations

import hashlib
import http.client
import random
import socket
import ssl
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from .place import Address

CONNECT_WITHIN = 10.0
#: Between two bytes of an answer.
ANSWER_WITHIN = 60.0
ATTEMPTS = 5
FIRST_PAUSE = 0.25
BLOCK = 1 << 18

Result = TypeVar("Result")


class Problem(Exception):
    """Why a request failed, in words. `again`: a moment later the same request may work."""

    def __init__(self, words: str, code: str = "", status: int = 0, again: bool = False) -> None:
        super().__init__(words)
        self.code = code
        self.status = status
        self.again = again


def repeated(ask: Callable[[], Result]) -> Result:
    for attempt in range(1, ATTEMPTS):
        try:
            return ask()
        except Problem as problem:
            if not problem.again:
                raise
        # With random pauses: a server that was too busy for eight requests would be too busy for the same eight again.
        time.sleep(FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1.0))
    return ask()


class Piece:
    """A part of a file, read again for every attempt and never whole in memory."""

    def __init__(self, path: str, start: int, size: int) -> None:
        self.path = path
        self.start = start
        self.size = size
        digest = hashlib.sha256()
        for block in self.blocks():
            digest.update(block)
        self.hash = digest.hexdigest()

    def blocks(self) -> Iterator[bytes]:
        left = self.size
        try:
            with open(self.path, "rb") as file:
                file.seek(self.start)
                while left > 0:
                    block = file.read(min(left, BLOCK))
                    if not block:
                        raise Problem("it became shorter while it was being stored")
                    left -= len(block)
                    yield block
        except OSError as error:
            raise Problem(f"it cannot be read: {error.strerror or error}") from None


class Connections:
    """To one server; each carries one request at a time."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.idle: list[http.client.HTTPConnection] = []
        self.proxy = proxy_of(address)
        self.tls = ssl.create_default_context() if address.is_https else None

    def open(self) -> http.client.HTTPConnection:
        address, proxy = self.address, self.proxy
        host, port = (proxy[0], proxy[1]) if proxy else (address.host, address.port)
        connection: http.client.HTTPConnection
        if self.tls is not None:
            connection = http.client.HTTPSConnection(
                host, port, timeout=CONNECT_WITHIN, context=self.tls, blocksize=BLOCK
            )
            if proxy:
                connection.set_tunnel(address.host, address.port, proxy[2])
        else:
            connection = http.client.HTTPConnection(host, port, timeout=CONNECT_WITHIN, blocksize=BLOCK)
        connection.connect()
        connection.sock.settimeout(ANSWER_WITHIN)
        return connection

    @contextmanager
    def ask(
        self, method: str, target: str, headers: dict[str, str], body: bytes | Piece | None
    ) -> Generator[http.client.HTTPResponse]:
        """The connection is kept when the whole answer was read."""
        if self.proxy and self.tls is None:
            target = f"{self.address}{target}"
            headers = {**headers, **self.proxy[2]}
        if isinstance(body, Piece):
            headers = {**headers, "content-length": str(body.size)}
        connection = None
        try:
            try:
                was_open = bool(self.idle)
                connection = self.idle.pop() if was_open else self.open()
                response = send(connection, method, target, headers, body)
            except (OSError, http.client.HTTPException, UnicodeError) as error:
                # What the server has closed meanwhile, it has closed on all of them.
                self.close()
                raise Problem(self.unreachable(error), again=is_passing(error)) from None
            try:
                yield response
            except (TimeoutError, http.client.HTTPException, ConnectionError, ssl.SSLError) as error:
                raise Problem(self.unreachable(error), again=True) from None
            if response.isclosed() and not response.will_close:
                self.idle.append(connection)
                connection = None
        finally:
            if connection is not None:
                connection.close()

    def unreachable(self, error: Exception) -> str:
        if isinstance(error, socket.timeout):
            return f"{self.address} did not answer in time"
        if isinstance(error, http.client.HTTPException):
            return f"{self.address} does not answer as a web server does ({type(error).__name__})"
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if isinstance(error, ssl.SSLCertVerificationError):
            words = f"its certificate is not valid here ({error.verify_message})"
        return f"{self.address} cannot be reached: {words}"

    def close(self) -> None:
        idle, self.idle = self.idle, []
        for connection in idle:
            connection.close()


def send(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    headers: dict[str, str],
    body: bytes | Piece | None,
) -> http.client.HTTPResponse:
    try:
        connection.request(method, target, body.blocks() if isinstance(body, Piece) else body, headers)
    except (BrokenPipeError, ConnectionResetError):
        # It answered before it had everything and closed: its answer may still be there.
        if not isinstance(body, Piece):
            raise
    return connection.getresponse()


def is_passing(error: Exception) -> bool:
    """A name that is not there or a bad certificate is as wrong a moment later."""
    if isinstance(error, socket.gaierror):
        return error.errno != socket.EAI_NONAME
    return not isinstance(error, (ssl.SSLCertVerificationError, UnicodeError))


def proxy_of(address: Address) -> tuple[str, int, dict[str, str]] | None:
    """Host, port and headers of the proxy that the environment names for this address."""
    named = getproxies().get("https" if address.is_https else "http")
    if not named or proxy_bypass(address.host_header):
        return None
    parts = urlsplit(named if "://" in named else f"http://{named}")
    headers: dict[str, str] = {}
    if parts.username:
        import base64

        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["proxy-authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return parts.hostname or "", parts.port or 3128, headers
