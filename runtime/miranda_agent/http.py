"""
A small HTTP client for the agent. Importing the standard library's client takes longer than starting the worker.
"""

from __future__ import annotations

import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Unreachable(Exception):
    """No answer came; the same request may be sent again."""


class Connection:
    def __init__(self, locate: Callable[[], str], token: str, timeout: float) -> None:
        #: Gives the server's address as it is now: a server that comes back may listen elsewhere.
        self.locate = locate
        self.token = token
        self.timeout = timeout
        self.socket: socket.socket | None = None
        self.host = ""
        self.buffer = b""

    def request(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        try:
            connected = self.socket or self.open()
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            ).encode()
            if len(body) < 65_536:
                connected.sendall(head + body)
            else:
                connected.sendall(head)
                connected.sendall(body)
            return self.response(connected)
        except (OSError, ValueError) as error:
            self.close()
            raise Unreachable(str(error)) from None

    def upload(self, path: str, size: int, pieces: Iterator[bytes]) -> tuple[int, bytes]:
        """Sends a file, piece by piece."""
        try:
            connected = self.socket or self.open()
            head = (
                f"PUT {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n"
                f"Content-Type: application/octet-stream\r\nContent-Length: {size}\r\n\r\n"
            )
            connected.sendall(head.encode())
            try:
                for piece in pieces:
                    connected.sendall(piece)
            except OSError:
                # A server that refuses it answers before all of it is sent.
                pass
            return self.response(connected)
        except (OSError, ValueError) as error:
            self.close()
            raise Unreachable(str(error)) from None
        except BaseException:
            # The server must not take the next request for the rest of the file.
            self.close()
            raise

    def download(self, path: str) -> tuple[int, dict[str, str], Iterator[bytes]]:
        """The status, the headers, and the body as it arrives."""
        try:
            connected = self.socket or self.open()
            head = f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n\r\n"
            connected.sendall(head.encode())
            status, headers = self.head(connected)
        except (OSError, ValueError) as error:
            self.close()
            raise Unreachable(str(error)) from None
        return status, headers, self.pieces(connected, headers)

    def pieces(self, connected: socket.socket, headers: dict[str, str]) -> Iterator[bytes]:
        try:
            left = int(headers.get("content-length", "0"))
            while left > 0:
                data = self.buffer or connected.recv(1 << 20)
                if not data:
                    raise ValueError("the connection was closed")
                self.buffer = data[left:]
                yield data[:left]
                left -= len(data[:left])
        except (OSError, ValueError) as error:
            self.close()
            raise Unreachable(str(error)) from None

    def open(self) -> socket.socket:
        url = self.locate()
        self.buffer = b""
        if url.startswith("unix:"):
            self.host = "miranda"
            opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            opened.settimeout(self.timeout)
            opened.connect(url[5:])
            self.socket = opened
            return opened
        scheme, _, rest = url.partition("://")
        self.host = rest.partition("/")[0]
        name, _, port = self.host.rpartition(":") if not self.host.endswith("]") else (self.host, "", "")
        if not name:
            name, port = self.host, ""
        number = int(port) if port else (443 if scheme == "https" else 80)
        opened = socket.create_connection((name.strip("[]"), number), timeout=min(self.timeout, 10))
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.settimeout(self.timeout)
        if scheme == "https":
            import ssl

            opened = ssl.create_default_context().wrap_socket(opened, server_hostname=name.strip("[]"))
        self.socket = opened
        return opened

    def head(self, connected: socket.socket) -> tuple[int, dict[str, str]]:
        while b"\r\n\r\n" not in self.buffer:
            self.receive(connected)
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ", 2)[1])
        headers: dict[str, str] = {}
        for line in lines[1:]:
            key, _, value = line.partition(":")
            headers[key.strip().lower()] = value.strip()
        return status, headers

    def response(self, connected: socket.socket) -> tuple[int, bytes]:
        status, headers = self.head(connected)
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = self.chunked(connected)
        else:
            body = self.exactly(connected, int(headers.get("content-length", "0")))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return status, body

    def exactly(self, connected: socket.socket, size: int) -> bytes:
        parts, have = [self.buffer], len(self.buffer)
        while have < size:
            data = connected.recv(1 << 16)
            if not data:
                raise ValueError("the connection was closed")
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self.buffer = whole[size:]
        return whole[:size]

    def chunked(self, connected: socket.socket) -> bytes:
        parts: list[bytes] = []
        while True:
            while b"\r\n" not in self.buffer:
                self.receive(connected)
            line, _, self.buffer = self.buffer.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            part = self.exactly(connected, size)
            self.exactly(connected, 2)
            if size == 0:
                return b"".join(parts)
            parts.append(part)

    def receive(self, connected: socket.socket) -> None:
        data = connected.recv(1 << 16)
        if not data:
            raise ValueError("the connection was closed")
        self.buffer += data

    def close(self) -> None:
        if self.socket is not None:
            try:
                self.socket.close()
            except OSError:
                pass
            self.socket = None
