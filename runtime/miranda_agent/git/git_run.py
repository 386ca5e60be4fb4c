"""Runs git with only our settings: no hooks, no prompts, no program or file that an address could name."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess

#: A shell can name only single digits.
CREDENTIAL = 7
LARGEST_ANSWER = 1 << 20
PASSED_ON = ("PATH", "TZ", "LD_LIBRARY_PATH", "MIRANDA_JOB")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")

SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.symlinks": "false",
    "core.fsmonitor": "false",
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "protocol.ssh.allow": "always",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "credential.helper": "",
    "push.gpgSign": "false",
}

UNAUTHORISED = re.compile(
    r"Authentication failed|could not read (Username|Password)|terminal prompts disabled|Invalid username or"
)
#: Lines of git that come before its reason.
NOISE = re.compile(r"^(hint|warning|From |To |Done|Pushing to)", re.IGNORECASE)
#: Git's own end of a failed talk over ssh; why it failed stands before it.
ENDINGS = (
    "Could not read from remote repository",
    "make sure you have the correct access",
    "and the repository exists",
)


class Failure(Exception):
    """Words for people."""


class Unauthorised(Failure):
    pass


class Git:
    def __init__(self, folder: str, given: dict[str, str]) -> None:
        self.folder = folder
        program = shutil.which("git", path=given.get("PATH"))
        if program is None:
            raise Failure("There is no git on this processor. Its image needs the package git.")
        self.program = program
        self.given = given
        self.known_hosts = os.path.join(folder, "known_hosts")
        #: Passwords and keys, never shown.
        self.hidden: list[str] = []

    def hosts(self) -> list[str]:
        """Which servers ssh has met."""
        try:
            with open(self.known_hosts, encoding="utf-8", errors="replace") as file:
                return file.readlines()
        except OSError:
            return []

    def start(self) -> None:
        self.run(["init", "-q", "--bare", "--template=", os.path.join(self.folder, "repository")])

    def environment(self, settings: dict[str, str], extra: dict[str, str]) -> dict[str, str]:
        given = self.given
        kept = {name: value for name, value in given.items() if name in PASSED_ON or name.lower() in PROXIES}
        authorities = {"GIT_SSL_CAINFO": given.get("SSL_CERT_FILE"), "GIT_SSL_CAPATH": given.get("SSL_CERT_DIR")}
        kept.update({name: value for name, value in authorities.items() if value})
        pairs = {**SETTINGS, **settings}
        for at, (key, value) in enumerate(pairs.items()):
            kept[f"GIT_CONFIG_KEY_{at}"], kept[f"GIT_CONFIG_VALUE_{at}"] = key, value
        return {
            **kept,
            "GIT_CONFIG_COUNT": str(len(pairs)),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_ALLOW_PROTOCOL": "https:ssh",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "SSH_ASKPASS": "",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_DIR": os.path.join(self.folder, "repository"),
            "HOME": self.folder,
            "LC_ALL": "C",
            **extra,
        }

    def run(
        self,
        arguments: list[str],
        *,
        settings: dict[str, str] | None = None,
        extra: dict[str, str] | None = None,
        given: bytes = b"",
        credential: bytes | None = None,
        most: int = LARGEST_ANSWER,
    ) -> bytes:
        if credential is not None:
            reader, writer = os.pipe()
            os.write(writer, credential)
            os.close(writer)
            if reader != CREDENTIAL:
                os.dup2(reader, CREDENTIAL)
                os.close(reader)
        try:
            process = subprocess.Popen(
                [self.program, *arguments],
                env=self.environment(settings or {}, extra or {}),
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(CREDENTIAL,) if credential is not None else (),
            )
            answer, complaint = process.communicate(given)
        finally:
            if credential is not None:
                os.close(CREDENTIAL)
        words = self.clean(complaint.decode("utf-8", "replace"))
        if process.returncode != 0:
            raise self.failure(words)
        if len(answer) > most:
            raise Failure(f"Git printed more than {most} bytes.")
        return answer

    def failure(self, words: str) -> Failure:
        if UNAUTHORISED.search(words):
            return Unauthorised(words)
        if "signal 25" in words or "File too large" in words:
            return Failure("The repository is too large for this processor.")
        lines = [line.strip() for line in words.splitlines() if line.strip() and not NOISE.match(line.strip())]
        telling = [line for line in lines if not any(ending in line for ending in ENDINGS)] or lines
        reason = " ".join(re.sub(r"^(fatal|error): ", "", line) for line in telling[-3:])
        return Failure(f"Git could not do that: {reason[:1_000] or 'it did not say why.'}")

    def clean(self, words: str) -> str:
        for one in self.hidden:
            words = words.replace(one, "\u2022\u2022\u2022\u2022")
        words = words.replace(self.folder, "")
        return re.sub(r"(\w+://)[^/@\s]*@", r"\1", words)


def basic(scope: str) -> dict[str, str]:
    """Answers from a pipe that only this one git has, and only when that very host asks."""
    script = f'!f() {{ test "$1" = get && cat <&{CREDENTIAL}; }}; f'
    return {f"credential.{scope}.helper": script}


def ssh_command(git: Git, key: str) -> dict[str, str]:
    program = shutil.which("ssh", path=git.given.get("PATH"))
    if program is None:
        raise Failure("There is no ssh on this processor. Its image needs the package openssh-client.")
    path = os.path.join(git.folder, "key")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(key.replace("\r\n", "\n").rstrip("\n") + "\n")
    options = [
        "BatchMode=yes",
        "IdentitiesOnly=yes",
        f"IdentityFile={path}",
        "PreferredAuthentications=publickey",
        "StrictHostKeyChecking=accept-new",
        f"UserKnownHostsFile={git.known_hosts}",
        "GlobalKnownHostsFile=/dev/null",
        "HashKnownHosts=no",
        "ConnectTimeout=20",
        "LogLevel=ERROR",
    ]
    arguments = [program, "-F", "/dev/null", *(part for option in options for part in ("-o", option))]
    return {"GIT_SSH_COMMAND": shlex.join(arguments), "GIT_SSH_VARIANT": "ssh"}
