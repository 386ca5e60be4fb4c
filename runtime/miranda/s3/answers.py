"""Parses the XML answers of an S3 server, and explains its refusals."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import unquote_plus
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from .connections import Problem
from .place import Address, Place

#: A page of 1,000 keys of 1,024 bytes, each byte spelled with three, is far below.
LARGEST_ANSWER = 16 << 20
BUSY = (429, 500, 502, 503, 504)
BUSY_CODES = ("SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "TooManyRequests")


@dataclass(frozen=True)
class Entry:
    key: str
    size: int
    tag: str


@dataclass(frozen=True)
class Page:
    entries: list[Entry]
    following: str | None


def read_xml(data: bytes) -> Element:
    """Without document types, and so without entities that grow or point elsewhere."""
    builder = TreeBuilder()
    parser = expat.ParserCreate()

    def refuse(*_: object) -> NoReturn:
        raise ValueError("a document type")

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = lambda name, _: builder.start(name.rpartition(":")[2], {})
    parser.EndElementHandler = lambda name: builder.end(name.rpartition(":")[2])
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(data, True)
        root = builder.close()
    except (expat.ExpatError, AssertionError):
        raise ValueError("no XML") from None
    return root


def read_page(data: bytes) -> Page:
    root = read_xml(data)
    if root.tag != "ListBucketResult":
        raise ValueError(root.tag)
    is_quoted = root.findtext("EncodingType") == "url"
    entries: list[Entry] = []
    for part in root.iter("Contents"):
        key = part.findtext("Key") or ""
        size = int(part.findtext("Size") or "")
        if size < 0:
            raise ValueError("a negative size")
        entries.append(
            Entry(
                unquote_plus(key, errors="surrogateescape") if is_quoted else key,
                size,
                clean_tag(part.findtext("ETag")),
            )
        )
    is_more = root.findtext("IsTruncated") == "true"
    following = root.findtext("NextContinuationToken")
    if is_more and not following:
        raise ValueError("a list without its rest")
    return Page(entries, following if is_more else None)


def clean_tag(tag: str | None) -> str:
    return (tag or "").removeprefix("W/").strip('"')


class Failures:
    """Turns a refusal into a sentence that names what to change."""

    def __init__(self, place: Place, address: Address) -> None:
        self.place = place
        self.address = address

    def rubbish(self, detail: str) -> Problem:
        return Problem(f"{self.address} does not answer like S3 ({detail})")

    def of(self, response: http.client.HTTPResponse, data: bytes, doing: str, has_body: bool) -> Problem:
        status = response.status
        code = message = region = ""
        try:
            root = read_xml(data)
            if root.tag == "Error":
                code, message = root.findtext("Code") or "", root.findtext("Message") or ""
                region = root.findtext("Region") or ""
        except ValueError:
            pass
        region = response.headers.get("x-amz-bucket-region") or region
        if status in BUSY or code in BUSY_CODES:
            reason = " ".join(part for part in (str(status), code) if part)
            return Problem(f"{self.address} failed {reason}, again and again", code, status, again=True)
        if has_body and not code and status not in (301, 307, 308):
            return self.rubbish(f"{status} {response.reason}".strip())
        return Problem(self.words(status, code, message, region, response, doing), code, status)

    def words(
        self, status: int, code: str, message: str, region: str, response: http.client.HTTPResponse, doing: str
    ) -> str:
        place = self.place
        moved = status in (301, 307, 308)
        if region and region != place.region and (moved or status in (400, 403)):
            return f"the bucket is in the region {region}, and the policy names {place.region}"
        if moved:
            where = response.headers.get("location")
            return (
                f"{self.address} sends us elsewhere{f' ({where})' if where else ''}; check the region and the endpoint"
            )
        if code == "NoSuchBucket" or (status == 404 and doing == "list its files"):
            return f"there is no bucket {place.bucket} at {self.address}"
        if code == "InvalidAccessKeyId":
            return f"{self.address} does not know the access key in the secret {place.access_key_secret}"
        if code == "SignatureDoesNotMatch":
            both = f"{place.secret_key_secret} does not fit the access key in {place.access_key_secret}"
            return f"the secret key in {both}"
        if code == "RequestTimeTooSkewed":
            return "the clock of this processor is wrong, so the server does not trust its signature"
        if code in ("XAmzContentSHA256Mismatch", "BadDigest"):
            return "it changed while it was being stored"
        if status in (401, 403):
            if not place.access_key_secret:
                return f"access denied: the policy names no secrets, and not everybody may {doing}"
            return f"access denied: the keys may not {doing}"
        reason = " ".join(part for part in (str(status), code) if part)
        return f"{self.address} answered {reason}{f': {message}' if message else ''}"
