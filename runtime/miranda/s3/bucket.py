"""One prefix of one bucket: lists, downloads, uploads and deletes its files."""

from __future__ import annotations

import hashlib
import http.client
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape

from .answers import LARGEST_ANSWER, Entry, Failures, Page, clean_tag, read_page, read_xml
from .connections import BLOCK, Connections, Piece, Problem, repeated
from .place import Address, Place
from .sign import Keys, query_text, sign

#: A file above this is stored in parts.
LARGEST_WHOLE = 64 << 20
SMALLEST_PART = 32 << 20
MOST_PARTS = 9_000
MOST_PAGES = 10_000

#: Called with the number of bytes that have just gone through.
OnBytes = Callable[[int], None]


class Fetched(NamedTuple):
    tag: str
    #: When the server got it, in seconds since 1970.
    modified: float | None


class Bucket:
    def __init__(self, place: Place, keys: Keys | None) -> None:
        self.place = place
        self.keys = keys
        self.address = Address.of(place)
        self.connections = Connections(self.address)
        self.failures = Failures(place, self.address)
        #: Uploads in parts that are under way, by their keys. Parts that nobody puts together cost money, unseen.
        self.uploads: dict[str, str] = {}

    @contextmanager
    def ask(
        self, method: str, key: str, doing: str, query: dict[str, str] | None = None, body: bytes | Piece | None = None
    ) -> Generator[http.client.HTTPResponse]:
        """One attempt. What is not a success is a Problem."""
        query = query or {}
        path = f"{self.address.path}/{quote(key)}"
        headers = {"host": self.address.host_header}
        if self.keys is not None:
            content_hash = body.hash if isinstance(body, Piece) else hashlib.sha256(body or b"").hexdigest()
            headers = sign(method, headers["host"], path, query, content_hash, self.place.region, self.keys)
        target = f"{path}?{query_text(query)}" if query else path
        with self.connections.ask(method, target, headers, body) as response:
            if response.status >= 300:
                raise self.failures.of(response, response.read(1 << 16), doing, method != "HEAD")
            yield response

    def answer(
        self, method: str, key: str, doing: str, query: dict[str, str] | None = None, body: bytes | Piece | None = None
    ) -> tuple[bytes, http.client.HTTPMessage]:
        """A small answer, asked for until there is one."""

        def once() -> tuple[bytes, http.client.HTTPMessage]:
            with self.ask(method, key, doing, query, body) as response:
                data = response.read(LARGEST_ANSWER + 1)
                if len(data) > LARGEST_ANSWER:
                    raise self.failures.rubbish("an endless answer")
                return data, response.headers

        return repeated(once)

    # Listing

    def page(self, token: str | None = None, most: int = 1_000) -> Page:
        query = {"list-type": "2", "encoding-type": "url", "max-keys": str(most), "prefix": self.place.key_start}
        if token is not None:
            query["continuation-token"] = token
        data, _ = self.answer("GET", "", "list its files", query)
        try:
            return read_page(data)
        except ValueError as error:
            raise self.failures.rubbish(str(error)[:100]) from None

    def entries(self) -> Iterator[Entry]:
        token = None
        for _ in range(MOST_PAGES):
            page = self.page(token)
            yield from page.entries
            token = page.following
            if token is None:
                return
        raise self.failures.rubbish("an endless list")

    def tag_of(self, key: str) -> str | None:
        """Of a file as it is now; None when it is gone."""
        try:
            _, headers = self.answer("HEAD", key, "read its files")
        except Problem as problem:
            if problem.status == 404:
                return None
            raise
        return clean_tag(headers.get("etag"))

    # Files

    def fetch(self, key: str, target: str, on_bytes: OnBytes) -> Fetched:
        def once() -> Fetched:
            with self.ask("GET", key, "read its files") as response, open(target, "wb") as file:
                got = 0
                while block := response.read(BLOCK):
                    file.write(block)
                    got += len(block)
                    on_bytes(len(block))
                if str(got) != response.headers.get("content-length"):
                    raise Problem(f"{self.address} broke off in the middle of it", again=True)
                return Fetched(clean_tag(response.headers.get("etag")), modified_at(response.headers))

        return repeated(once)

    def store(self, key: str, path: str, size: int, on_bytes: OnBytes) -> str:
        """Its new tag. Readers see the old content or the new one, never a part of it."""
        if size > LARGEST_WHOLE:
            return self.store_in_parts(key, path, size, on_bytes)
        _, headers = self.answer("PUT", key, "write files", body=Piece(path, 0, size))
        on_bytes(size)
        return clean_tag(headers.get("etag"))

    def store_in_parts(self, key: str, path: str, size: int, on_bytes: OnBytes) -> str:
        before = os.stat(path)
        data, _ = self.answer("POST", key, "write files", {"uploads": ""})
        upload = self.element(data, "UploadId")
        self.uploads[key] = upload
        try:
            each = max(SMALLEST_PART, -(-size // MOST_PARTS))
            tags: list[str] = []
            for number, start in enumerate(range(0, size, each), 1):
                piece = Piece(path, start, min(each, size - start))
                query = {"partNumber": str(number), "uploadId": upload}
                _, headers = self.answer("PUT", key, "write files", query, piece)
                tags.append(clean_tag(headers.get("etag")))
                on_bytes(piece.size)
            after = os.stat(path)
            if (after.st_mtime_ns, after.st_size) != (before.st_mtime_ns, before.st_size):
                raise Problem("it changed while it was being stored")
            tag = self.put_together(key, upload, tags)
        except BaseException:
            self.abandon(key)
            raise
        self.uploads.pop(key, None)
        return tag

    def put_together(self, key: str, upload: str, tags: list[str]) -> str:
        parts = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>&quot;{escape(tag)}&quot;</ETag></Part>"
            for number, tag in enumerate(tags, 1)
        )
        body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
        try:
            data, _ = self.answer("POST", key, "write files", {"uploadId": upload}, body)
            return clean_tag(self.element(data, "ETag"))
        except Problem as problem:
            # The answer to an attempt that worked may have been lost.
            tag = self.tag_of(key) if problem.code == "NoSuchUpload" else None
            if tag is None or not tag.endswith(f"-{len(tags)}"):
                raise
            return tag

    def abandon(self, key: str) -> None:
        upload = self.uploads.pop(key, None)
        if upload is None:
            return
        try:
            with self.ask("DELETE", key, "write files", {"uploadId": upload}) as response:
                response.read(1 << 16)
        except Problem:
            # The bucket's own rule for unfinished uploads has to find it.
            pass

    def element(self, data: bytes, name: str) -> str:
        try:
            found = read_xml(data)
        except ValueError as error:
            raise self.failures.rubbish(str(error)[:100]) from None
        if found.tag == "Error":
            # Putting parts together may fail long after the status was sent.
            code = found.findtext("Code") or ""
            raise Problem(f"{self.address} answered {code}: {found.findtext('Message')}", code)
        text = found.findtext(name)
        if not text:
            raise self.failures.rubbish(f"{found.tag} without {name}")
        return text

    def remove(self, key: str, tag: str) -> bool:
        """False when it is another by now: then it is somebody else's."""
        now = self.tag_of(key)
        if now is not None and now != tag:
            return False
        if now is not None:
            self.answer("DELETE", key, "delete files")
        return True


def modified_at(headers: http.client.HTTPMessage) -> float | None:
    try:
        return parsedate_to_datetime(headers.get("last-modified") or "").timestamp()
    except (TypeError, ValueError):
        return None
