"""Where an S3 storage policy keeps its files, and how its server is addressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit


@dataclass(frozen=True)
class Place:
    bucket: str
    prefix: str
    region: str
    #: Empty for Amazon's own.
    endpoint: str
    #: The names of the secrets with the keys; both empty for a bucket that is open to everybody.
    access_key_secret: str
    secret_key_secret: str
    most_files: int

    @staticmethod
    def of(given: dict[str, Any]) -> Place:
        return Place(
            bucket=given["bucket"],
            prefix=given["prefix"].rstrip("/"),
            region=given["region"] or "us-east-1",
            endpoint=given["endpoint"].rstrip("/"),
            access_key_secret=given["access_key_secret"],
            secret_key_secret=given["secret_key_secret"],
            most_files=given["most_files"],
        )

    @property
    def key_start(self) -> str:
        """What every key begins with."""
        return f"{self.prefix}/" if self.prefix else ""

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}" if self.prefix else f"s3://{self.bucket}"


@dataclass(frozen=True)
class Address:
    is_https: bool
    host: str
    port: int
    #: Before every key, quoted.
    path: str

    @staticmethod
    def of(place: Place) -> Address:
        if place.endpoint:
            parts = urlsplit(place.endpoint)
            is_https = parts.scheme == "https"
            port = parts.port or (443 if is_https else 80)
            return Address(is_https, parts.hostname or "", port, f"{quote(parts.path)}/{place.bucket}")
        suffix = "amazonaws.com.cn" if place.region.startswith("cn-") else "amazonaws.com"
        host = f"s3.{place.region}.{suffix}"
        # A certificate for *.s3… does not cover a bucket with dots.
        if "." in place.bucket:
            return Address(True, host, 443, f"/{place.bucket}")
        return Address(True, f"{place.bucket}.{host}", 443, "")

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (443 if self.is_https else 80) else f"{name}:{self.port}"

    def __str__(self) -> str:
        return f"{'https' if self.is_https else 'http'}://{self.host_header}"
