"""`miranda login`: keeps an access token of a server."""

from __future__ import annotations

import getpass
import socket
import sys
import urllib.request
from http.cookiejar import CookieJar
from urllib.parse import urlsplit

from .failures import REFUSED, USAGE, Failure
from .logins import origin_of, save_login
from .printer import Printer, complain
from .server import NoRedirects, Server

LOCAL = ("localhost", "127.0.0.1", "::1")


def log_in(url: str, username: str | None, reads_token: bool, printer: Printer) -> int:
    address = origin_of(url)
    if address.startswith("http:") and urlsplit(address).hostname not in LOCAL:
        complain("This address is not encrypted: others in the network can read your token. Use https if you can.")
    check_server(address)
    token = read_token(address, username, reads_token)
    username = str(who_owns(address, token))
    path = save_login(address, token, username)
    entry = {"server": address, "username": username, "file": str(path)}
    printer.result(entry, f"You are logged in to {address} as {username}.")
    return 0


def check_server(address: str) -> None:
    """Before anybody types a password for an address that is wrong."""
    try:
        Server(address, None).get("/api/v3/settings")
    except Failure as failure:
        # A refusal that has a reason comes from Miranda: nobody is signed in yet.
        if not failure.reason:
            raise


def read_token(address: str, username: str | None, reads_token: bool) -> str:
    if reads_token:
        token = sys.stdin.readline().strip()
        if not token:
            raise Failure("There is no token on the standard input.", USAGE)
        return token
    if username is None:
        if not sys.stdin.isatty():
            raise Failure(f"Nobody can type here. Use: miranda login {address} --with-token < file", USAGE)
        token = getpass.getpass("Access token (leave it empty to use your username and password): ").strip()
        if token:
            return token
        username = input("Username or e-mail: ").strip()
    password = getpass.getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    return make_token(address, username, password)


def make_token(address: str, username: str, password: str) -> str:
    """Signs in once, makes a token that bears this machine's name, and signs out again."""
    server = Server(address, None)
    cookies = urllib.request.HTTPCookieProcessor(CookieJar())
    server.opener = urllib.request.build_opener(NoRedirects, cookies)
    server.post("/api/v3/auth", {"username": username, "password": password})
    try:
        name = f"miranda on {socket.gethostname()}"[:100]
        return str(server.post("/api/v3/auth/access_tokens", {"web_password": password, "name": name})["token"])
    finally:
        server.call("DELETE", "/api/v3/auth")


def who_owns(address: str, token: str) -> str:
    try:
        return Server(address, token).get("/api/v3/auth")["username"]
    except Failure as failure:
        if failure.reason or "401" in str(failure):
            raise Failure(f"{address} does not know this access token.", REFUSED) from None
        raise
