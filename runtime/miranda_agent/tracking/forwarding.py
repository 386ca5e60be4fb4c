"""
Passes the requests of one connection on to the project's tracking server, and the answers back, in pieces. Each
request is written anew, so that nothing but its method, address, body and a few headers comes from node code.
"""

from __future__ import annotations

import hmac
import json
import re
import socket
import time

from ..http import Unreachable
from ..server_client import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
PLACES = re.compile(r"/(api/\d\.\d/(mlflow|mlflow-artifacts)/|(health|version)$)")
#: What the client may say about its request, and the server about its answer.
TOLD = ("content-type", "accept", "range", "user-agent")
ANSWERED = ("content-type", "content-disposition", "content-range", "accept-ranges", "retry-after", "etag")
LONGEST_HEAD = 32 << 10
LONGEST_TARGET = 8 << 10
PIECE = 256 << 10
#: In seconds: between two requests, and between two pieces of one.
IDLE, SILENCE = 10.0, 120.0
#: Of a body that the server refused. Its client reads the answer when it has sent its body, and not before.
MOST_UNWANTED = 64 << 20


class Refused(Exception):
    def __init__(self, status: str, code: str, words: str) -> None:
        super().__init__(words)
        self.status, self.code = status, code


class Buffered:
    """A connection that is read in lines and pieces."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.buffer = b""

    def more(self) -> None:
        data = self.socket.recv(PIECE)
        if not data:
            raise ValueError("the connection was closed")
        self.buffer += data

    def until(self, end: bytes, most: int) -> bytes:
        while (at := self.buffer.find(end, 0, most + len(end))) < 0:
            if len(self.buffer) >= most + len(end):
                raise Refused("431 Request Header Fields Too Large", "BAD_REQUEST", "The request's head is too long.")
            self.more()
        found, self.buffer = self.buffer[:at], self.buffer[at + len(end) :]
        return found

    def pieces(self, size: int) -> Iterator[bytes]:
        left = size
        while left > 0:
            if not self.buffer:
                self.more()
            piece, self.buffer = self.buffer[:left], self.buffer[left:]
            left -= len(piece)
            yield piece

    def chunks(self) -> Iterator[bytes]:
        while True:
            size = int(self.until(b"\r\n", 1_000).split(b";")[0], 16)
            if size == 0:
                break
            yield from self.pieces(size)
            if self.until(b"\r\n", 2):
                raise ValueError("a chunk has another length")
        while self.until(b"\r\n", 1_000):
            pass

    def rest(self) -> Iterator[bytes]:
        while True:
            data = self.buffer or self.socket.recv(PIECE)
            self.buffer = b""
            if not data:
                return
            yield data


class Request:
    def __init__(self, head: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, version = [*lines[0].split(" "), "", ""][:3]
        if self.method not in METHODS or not version.startswith("HTTP/1."):
            raise bad("This is no request that is known here.")
        self.headers: dict[str, str] = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip()
            if any(not " " <= character <= "\xff" or character == "\x7f" for character in name + value):
                raise bad("A header has characters that no header may have.")
            if name in self.headers and name in ("content-length", "transfer-encoding", "authorization"):
                raise bad(f"The header {name} came twice.")
            self.headers[name] = value
        self.is_chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        length = self.headers.get("content-length", "0")
        if (self.is_chunked and "content-length" in self.headers) or not re.fullmatch(r"\d{1,15}", length):
            raise bad("The length of the request is not clear.")
        if "transfer-encoding" in self.headers and not self.is_chunked:
            raise bad("The request has an encoding that is not known here.")
        self.length = int(length)
        self.stays = self.headers.get("connection", "").lower() != "close" and version == "HTTP/1.1"

    def check(self, prefix: str, token: str) -> None:
        given = re.fullmatch(r"Bearer (\S{1,500})", self.headers.get("authorization", ""))
        if given is None or not hmac.compare_digest(given[1].encode(), token.encode()):
            raise Refused("401 Unauthorized", "UNAUTHENTICATED", "MLFLOW_TRACKING_TOKEN is not this session's.")
        path = self.target.partition("?")[0]
        is_plain = re.fullmatch(r"[!-~]+", self.target) and len(self.target) <= LONGEST_TARGET
        if not is_plain or not path.startswith(prefix) or not PLACES.match(path, len(prefix)):
            raise Refused("404 Not Found", "ENDPOINT_NOT_FOUND", "This session has only its own project's tracking.")
        parts = re.split(r"/|\\|%2f|%5c", path.lower())
        if any(re.fullmatch(r"(\.|%2e){1,2}", part) for part in parts):
            raise bad("The path climbs out of its folder.")


def bad(words: str) -> Refused:
    return Refused("400 Bad Request", "BAD_REQUEST", words)


class Forwarding:
    """For one connection."""

    def __init__(
        self, settings: dict[str, str], token: str, connected: socket.socket, node: Callable[[], int | None]
    ) -> None:
        self.settings = settings
        self.token = token
        self.client = Buffered(connected)
        self.node = node
        self.prefix = f"/mlflow/{settings['project']}"
        self.server = connect(settings, SILENCE)
        self.used_at = 0.0

    def serve(self) -> None:
        try:
            while self.serve_one():
                pass
        finally:
            self.server.close()

    def serve_one(self) -> bool:
        """Whether another request may follow."""
        self.client.socket.settimeout(IDLE)
        try:
            head = self.client.until(b"\r\n\r\n", LONGEST_HEAD)
            self.client.socket.settimeout(SILENCE)
            request = Request(head)
            request.check(self.prefix, self.token)
            if request.headers.get("expect", "").lower() == "100-continue":
                self.client.socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            return self.pass_on(request)
        except Refused as refused:
            body = json.dumps({"error_code": refused.code, "message": str(refused)}).encode()
            answer = f"HTTP/1.1 {refused.status}\r\nContent-Type: application/json\r\nConnection: close\r\n"
            self.client.socket.sendall(f"{answer}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            return False

    def pass_on(self, request: Request) -> bool:
        try:
            upstream = self.open()
            body = self.client.chunks() if request.is_chunked else self.client.pieces(request.length)
            has_sent = self.send(request, body, upstream)
            server = Buffered(upstream)
            head = server.until(b"\r\n\r\n", LONGEST_HEAD)
        except (OSError, ValueError, Unreachable):
            self.server.close()
            # The client waits and tries again.
            words = "The server cannot be reached at the moment."
            raise Refused("503 Service Unavailable", "TEMPORARILY_UNAVAILABLE", words) from None
        stays = self.answer(request, server, head) and has_sent
        if not stays:
            self.server.close()
        if not has_sent:
            drop(body)
        self.used_at = time.monotonic()
        return stays and request.stays

    def open(self) -> socket.socket:
        if self.server.socket is not None and time.monotonic() - self.used_at > IDLE / 2:
            # The server may have closed it meanwhile, and not every request can be sent again.
            self.server.close()
        return self.server.socket or self.server.open()

    def send(self, request: Request, body: Iterator[bytes], upstream: socket.socket) -> bool:
        """Whether all of it was sent: a server that refuses it answers before."""
        headers = {name: request.headers[name] for name in TOLD if name in request.headers}
        credential = f"job.{self.settings['job']}.{self.settings['token']}"
        headers |= {"host": self.server.host, "authorization": f"Bearer {credential}"}
        node = self.node()
        if node is not None:
            headers["x-miranda-node"] = str(node)
        if request.is_chunked:
            headers["transfer-encoding"] = "chunked"
        elif request.length or request.method in ("POST", "PUT", "PATCH"):
            headers["content-length"] = str(request.length)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        upstream.sendall(f"{request.method} {request.target} HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
        try:
            for piece in framed(body) if request.is_chunked else body:
                try:
                    upstream.sendall(piece)
                except OSError:
                    return False
        except BaseException:
            # The server must not take the next request for the rest of this one.
            self.server.close()
            raise
        return True

    def answer(self, request: Request, server: Buffered, head: bytes) -> bool:
        """Whether the connection to the server can be used again."""
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        told = {name: headers[name] for name in ANSWERED if name in headers}
        is_chunked = headers.get("transfer-encoding", "").lower() == "chunked"
        is_bare = request.method == "HEAD" or status.split(" ")[1] in ("204", "304")
        has_end = is_chunked or is_bare or "content-length" in headers
        if is_chunked and not is_bare:
            told["transfer-encoding"] = "chunked"
        elif "content-length" in headers:
            told["content-length"] = headers["content-length"]
        stays = has_end and headers.get("connection", "").lower() != "close"
        if not stays:
            told["connection"] = "close"
        text = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        self.client.socket.sendall(f"{status}\r\n{text}\r\n".encode("latin-1"))
        if is_bare:
            return stays
        if is_chunked:
            body = framed(server.chunks())
        elif has_end:
            body = server.pieces(int(headers["content-length"]))
        else:
            body = server.rest()
        try:
            for piece in body:
                self.client.socket.sendall(piece)
        except BaseException:
            self.server.close()
            raise
        return stays


def drop(pieces: Iterator[bytes]) -> None:
    dropped = 0
    for piece in pieces:
        dropped += len(piece)
        if dropped > MOST_UNWANTED:
            return


def framed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """As chunks, with the empty one that ends them."""
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"
