"""
What git-pull, git-soft-pull and git-push do, in a process of its own. It reads its task as one JSON line on
descriptor 3, and asks for what it needs on descriptor 4: one line for each question, one line for each answer. No file
of a repository is ever checked out: objects are read and written, so hooks, filters and links have nothing to act on.
"""

from __future__ import annotations

import json
import os
import re
import sys

from .git_run import Failure, Git, Unauthorised, basic, ssh_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO, TypedDict

    class NodeFile(TypedDict):
        """A node, and its file in the repository."""

        id: int
        name: str
        path: str

    class Group(TypedDict):
        """The nodes in one branch of one repository."""

        number: int
        url: str
        shown: str
        host: str
        scheme: str
        branch: str
        nodes: list[NodeFile]

    class Author(TypedDict):
        name: str
        email: str

    class GitTask(TypedDict):
        command: str
        folder: str
        known_hosts: str
        author: Author
        repositories: list[Group]

    #: What the server answered. Its fields depend on the step.
    Answer = dict[str, Any]
    #: A node that is pushed, the mode and hash of its file, and the server's answer about it.
    Change = tuple[NodeFile, str, str, Answer]

LARGEST_FILE = 4_000_000
LARGEST_REPOSITORY = 1 << 30
MOST_ASKED = 3
PLAIN_FILES = ("100644", "100755", "100664")


class Task:
    def __init__(self, commands: TextIO, channel: TextIO) -> None:
        self.commands, self.channel = commands, channel
        self.given: GitTask = json.loads(commands.readline())
        self.name = self.given["command"]
        self.notes: list[str] = []
        self.errors: list[tuple[str, str]] = []
        self.known_hosts: list[str] = []

    def ask(self, question: dict[str, Any]) -> Answer:
        self.channel.write(json.dumps(question) + "\n")
        self.channel.flush()
        return json.loads(self.commands.readline())

    def step(self, step: str, node: NodeFile, **more: object) -> Answer:
        """One of the server's part: it holds the node's code and knows what was last pulled."""
        return self.ask({"ask": "server", "body": {"step": step, "node": node["id"], **more}})

    def serve(self) -> None:
        for group in self.given["repositories"]:
            try:
                repository = Repository(self, group)
                try:
                    repository.work()
                finally:
                    self.known_hosts += repository.git.hosts()
            except Failure as failure:
                self.fail(group["nodes"], str(failure))
        many = sum(len(group["nodes"]) for group in self.given["repositories"]) > 1
        words = [f"{name}: {error}" if many else error for name, error in self.errors]
        answer: dict[str, Any] = {"done": True, "error": "\n".join(words) or None, "summary": "\n".join(self.notes)}
        answer["known_hosts"] = "".join(self.known_hosts)
        self.channel.write(json.dumps(answer) + "\n")
        self.channel.flush()

    def fail(self, nodes: list[NodeFile], words: str) -> None:
        self.errors += [(node["name"], words) for node in nodes]


class Repository:
    """One branch of one repository and the nodes that are in it."""

    def __init__(self, task: Task, group: Group) -> None:
        self.task, self.group = task, group
        self.url, self.shown, self.host = group["url"], group["shown"], group["host"]
        self.branch = group["branch"]
        check_address(self.url, self.branch)
        self.git = Git(os.path.join(task.given["folder"], str(group["number"])), dict(os.environ))
        self.settings: dict[str, str] = {}
        self.extra: dict[str, str] = {}
        self.credential: bytes | None = None
        self.has_secret = False
        self.asked = 0
        self.tip = ""

    def work(self) -> None:
        os.mkdir(self.git.folder, 0o700)
        self.git.start()
        self.prepare()
        self.look()
        if self.task.name == "git-push":
            self.push()
        elif not self.tip:
            raise Failure(f"{self.shown} is empty.")
        else:
            self.pull()

    # Credentials

    def prepare(self) -> None:
        if self.group["scheme"] == "ssh":
            key = f"ssh.{self.host}"
            answer = self.task.ask({"ask": "secret", "key": key})
            if answer.get("value") is None:
                raise Failure(f"There is no secret {key} with a private key for {self.host}.")
            with open(self.git.known_hosts, "w", encoding="utf-8") as file:
                file.write(self.task.given["known_hosts"])
            self.extra = ssh_command(self.git, answer["value"])
            return
        match = re.match(r"https://[^/]+", self.url)
        self.settings = basic(match.group() if match else self.url)
        answer = self.task.ask({"ask": "secret", "key": f"git.{self.host}"})
        if answer.get("value") is not None:
            self.use(answer["value"])
            self.has_secret = True

    def use(self, secret: str) -> None:
        name, colon, password = secret.strip().partition(":")
        if not colon:
            name, password = "git", name
        if not password or re.search(r"[\0\r\n]", name + password) or len(secret) > 8_000:
            raise Failure("That is no password or token for git.")
        self.git.hidden += [password]
        self.credential = f"username={name}\npassword={password}\n".encode()

    def talk(self, arguments: list[str]) -> bytes:
        """Asks for a password when the other side does, and again when it was wrong."""
        while True:
            try:
                return self.git.run(
                    arguments, settings=self.settings, extra=self.extra, credential=self.credential or b""
                )
            except Unauthorised:
                self.ask_password()
            except Failure as failure:
                if self.group["scheme"] == "ssh" and "Permission denied" in str(failure):
                    raise Failure(f"{self.host} refused the key in the secret ssh.{self.host}.") from None
                raise

    def ask_password(self) -> None:
        if self.has_secret:
            raise Failure(f"{self.host} refused the secret git.{self.host}.")
        if self.asked == MOST_ASKED:
            raise Failure(f"{self.host} refused the password.")
        again = "That was refused. " if self.asked else ""
        self.asked += 1
        prompt = f"{again}Password or token for {self.shown} (or name:password)"
        given = self.task.ask({"ask": "password", "prompt": prompt})
        if given.get("value") is None:
            raise Failure(given.get("error") or f"{self.host} asks for a password.")
        self.use(given["value"])

    def look(self) -> None:
        """Finds the branch and fetches its newest commit, and nothing before it."""
        wanted = [f"refs/heads/{self.branch}"] if self.branch else []
        answer = self.talk(["ls-remote", "--symref", "--", self.url, "HEAD", *wanted]).decode("utf-8", "replace")
        lines = [line.split("\t", 1) for line in answer.splitlines() if "\t" in line]
        found = {name: value for value, name in lines if not value.startswith("ref: ")}
        if not self.branch:
            head = next((value for value, name in lines if name == "HEAD" and value.startswith("ref: refs/heads/")), "")
            self.branch = head.removeprefix("ref: refs/heads/") or "main"
            check_address(self.url, self.branch)
            self.tip = found.get("HEAD", "")
        else:
            self.tip = found.get(wanted[0], "")
        if not self.tip:
            if found or self.talk(["ls-remote", "--heads", "--", self.url]):
                raise Failure(f"{self.shown} has no branch {self.branch}.")
            return
        fetch = ["fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"]
        self.talk([*fetch, "--", self.url, f"+refs/heads/{self.branch}:refs/heads/tip"])
        self.tip = self.git.run(["rev-parse", "--verify", "refs/heads/tip"]).decode().strip()

    # Files

    def entry(self, path: str) -> tuple[str, str] | None:
        """The mode and hash of a file at the branch's head."""
        check_path(path)
        listed = self.git.run(["ls-tree", "-z", self.tip, "--", path]).decode("utf-8", "replace").rstrip("\0")
        if not listed:
            return None
        mode, kind, blob = listed.split("\t", 1)[0].split(" ")
        if kind == "tree":
            raise Failure(f"{path} is a folder in {self.shown}.")
        if mode not in PLAIN_FILES:
            raise Failure(f"{path} is no plain file in {self.shown}: it is a link or another repository.")
        return mode, blob

    def read(self, blob: str, path: str) -> bytes:
        size = int(self.git.run(["cat-file", "-s", blob]))
        if size > LARGEST_FILE:
            raise Failure(f"{path} is too large for the code of a node: it has {size:,} bytes.")
        return self.git.run(["cat-file", "blob", blob], most=LARGEST_FILE)

    # Pulling

    def pull(self) -> None:
        for node in self.group["nodes"]:
            try:
                self.pull_one(node)
            except Failure as failure:
                self.task.fail([node], str(failure))

    def pull_one(self, node: NodeFile) -> None:
        path = node["path"]
        found = self.entry(path)
        if found is None:
            raise Failure(f"{self.shown} has no file {path} on the branch {self.branch}.")
        code = as_code(self.read(found[1], path), path)
        answer = self.task.step("pulled", node, commit=self.tip, blob=found[1], code=code)
        if answer.get("error"):
            own = answer.get("code")
            raise Failure(answer["error"] if own is None else f"{answer['error']}\n{difference(own, code)}")
        name, place = node["name"], f"{self.shown}@{self.tip[:7]}"
        note = f"Pulled {name} from {place}." if answer.get("changed") else f"{name} is as in {place}."
        self.task.notes.append(note)

    # Pushing

    def push(self) -> None:
        changed: list[Change] = []
        for node in self.group["nodes"]:
            try:
                self.add(node, changed)
            except Failure as failure:
                self.task.fail([node], str(failure))
        if not changed:
            return
        index = {"GIT_INDEX_FILE": os.path.join(self.git.folder, "index")}
        if self.tip:
            self.git.run(["read-tree", self.tip], extra=index)
        entries = "".join(f"{mode} {blob}\t{node['path']}\0" for node, mode, blob, _ in changed)
        self.git.run(["update-index", "-z", "--add", "--index-info"], extra=index, given=entries.encode())
        tree = self.git.run(["write-tree"], extra=index).decode().strip()
        author = self.task.given["author"]
        roles = ("AUTHOR", "COMMITTER")
        who = {f"GIT_{role}_{part.upper()}": author[part] for role in roles for part in ("name", "email")}
        parents = ["-p", self.tip] if self.tip else []
        message = "\n\n".join(dict.fromkeys(answer["message"] for _, _, _, answer in changed))
        made = self.git.run(["commit-tree", tree, *parents, "-F", "-"], extra=who, given=message.encode())
        commit = made.decode().strip()
        self.send(commit)
        for node, _, blob, answer in changed:
            self.settle(node, commit, blob, answer, f"Pushed {node['name']} to {self.shown}@{commit[:7]}.")

    def add(self, node: NodeFile, changed: list[Change]) -> None:
        path = node["path"]
        check_path(path)
        answer = self.task.step("push", node)
        if answer.get("error"):
            raise Failure(answer["error"])
        found = self.entry(path) if self.tip else None
        before = self.read(found[1], path) if found else b""
        content = in_style_of(before, answer["code"])
        blob = self.git.run(["hash-object", "-w", "--stdin", "--no-filters"], given=content).decode().strip()
        if found and found[1] == blob:
            return self.settle(node, self.tip, blob, answer, f"{node['name']} is as in {self.shown}@{self.tip[:7]}.")
        if found and found[1] != answer["blob"]:
            why = "has changed since the last pull" if answer["blob"] else "already exists and was never pulled"
            words = f"{path} {why} on the branch {self.branch} of {self.shown}. Pull first."
            raise Failure(words)
        changed.append((node, found[0] if found else "100644", blob, answer))

    def send(self, commit: str) -> None:
        try:
            self.talk(["push", "-q", "--no-verify", "--", self.url, f"{commit}:refs/heads/{self.branch}"])
        except Failure as failure:
            if re.search(r"fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref", str(failure)):
                raise Failure(f"The branch {self.branch} of {self.shown} has just moved. Try again.") from None
            if isinstance(failure, Unauthorised):
                raise Failure(f"{self.host} does not let you push to {self.shown}.") from None
            raise

    def settle(self, node: NodeFile, commit: str, blob: str, answer: Answer, note: str) -> None:
        outcome = self.task.step("pushed", node, commit=commit, blob=blob, number=answer["number"], code=answer["code"])
        if outcome.get("error"):
            self.task.fail([node], outcome["error"])
        else:
            self.task.notes.append(note)


def check_address(url: str, branch: str) -> None:
    """The server has looked too; but it is here that something could be run."""
    if not re.fullmatch(r"(https://|ssh://|\w[\w.-]*@[\w.\[])[^\s]+", url) or "::" in url.split("/", maxsplit=1)[0]:
        raise Failure("A git repository has an https or ssh address.")
    if branch.startswith("-") or re.search(r"[\s~^:?*\[\\]|\.\.", branch):
        raise Failure("That is not the name of a branch.")


def check_path(path: str) -> None:
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts) or re.search(r"[\0-\x1f\\]", path):
        raise Failure("That is not a file in a repository.")


def as_code(content: bytes, path: str) -> str:
    if content.startswith(b"version https://git-lfs."):
        raise Failure(f"{path} is kept in Git LFS; code has to be in the repository itself.")
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        raise Failure(f"{path} is not text in UTF-8.") from None
    if "\0" in text:
        raise Failure(f"{path} is not text.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def in_style_of(before: bytes, code: str) -> bytes:
    """Keeps the file's line endings and byte order mark, so that only the changed lines differ."""
    content = code.encode("utf-8", "replace")
    if before.count(b"\r\n") * 2 > before.count(b"\n"):
        content = content.replace(b"\n", b"\r\n")
    return b"\xef\xbb\xbf" + content if before.startswith(b"\xef\xbb\xbf") else content


def difference(own: str, theirs: str, most: int = 12) -> str:
    import difflib

    mine, other = own.splitlines(), theirs.splitlines()
    if len(mine) + len(other) > 20_000:
        return f"The node has {len(mine):,} lines, the repository {len(other):,}."
    lines = list(difflib.unified_diff(mine, other, n=0, lineterm=""))[2:]
    lines = [line for line in lines if not line.startswith("@@")]
    shown = [line[:160] for line in lines[:most]]
    more = [f"and {len(lines) - most} lines more"] if len(lines) > most else []
    return "\n".join(["What differs (- the node, + the repository):", *shown, *more])


def main() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = LARGEST_REPOSITORY if hard < 0 else min(LARGEST_REPOSITORY, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    with open(3, encoding="utf-8") as commands, open(4, "w", encoding="utf-8") as channel:
        Task(commands, channel).serve()
    sys.exit(0)
