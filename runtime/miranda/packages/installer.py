"""The programs that install: uv, or pip where there is no uv. They run here, with node code's own rights."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable

#: The interpreter itself: once an environment is active, `sys.executable` is that environment's.
PYTHON = sys.executable
LOOK_EVERY = 0.2
MOST_WORDS = 20_000
#: A build script may write without end; its last lines explain what went wrong.
MOST_LINES = 1_000
LONGEST_LINE = 2_000
#: How long the last words of an installer that has ended may be on their way.
LAST_WORDS = 1.0
#: How long uv may take to arrive when the server has just begun to fetch it.
UV_PATIENCE = 120.0
OPTIONS = {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "find-links": "UV_FIND_LINKS"}


class Interrupted(Exception):
    """Somebody ended the installation."""


class Failed(Exception):
    """The installer ended badly; its words."""


class Interrupt:
    """Shared by the thread that installs and the one that stops it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.is_installing = False
        self.is_wanted = False
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> None:
        with self.lock:
            self.is_installing, self.is_wanted = True, False

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.is_installing = self.is_wanted = False
            self.process = None

    def begin(self, process: subprocess.Popen[str] | None) -> None:
        with self.lock:
            self.process = process
            if self.is_wanted and process is not None:
                end_group(process)

    def check(self) -> None:
        if self.is_wanted:
            raise Interrupted


interrupt = Interrupt()


def interrupt_install() -> bool:
    """Ends the installation that is under way, with everything that its installer started; false when there is none."""
    with interrupt.lock:
        if not interrupt.is_installing:
            return False
        interrupt.is_wanted = True
        if interrupt.process is not None:
            end_group(interrupt.process)
        return True


def end_group(process: subprocess.Popen[str]) -> None:
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass


def run(arguments: list[str], folder: str, env: dict[str, str], look: Callable[[str | None], None]) -> str:
    """Its output. `look` is called with each line, and with an empty line every moment."""
    interrupt.check()
    process = subprocess.Popen(
        arguments, cwd=folder, env=env, text=True, errors="replace", start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    interrupt.begin(process)
    assert process.stdout is not None
    words: deque[str] = deque(maxlen=MOST_LINES)
    coming: queue.Queue[str | None] = queue.Queue(MOST_LINES)
    reader = threading.Thread(target=read, args=(process, coming), daemon=True)
    reader.start()
    ended: float | None = None
    try:
        while True:
            try:
                line = coming.get(timeout=LOOK_EVERY)
            except queue.Empty:
                if process.poll() is None:
                    look(None)
                    continue
                # Its last words may still be on their way. After a while it is something that a build script left
                # running which holds the pipe.
                ended = ended or time.monotonic()
                if time.monotonic() - ended > LAST_WORDS:
                    break
                continue
            if line is None:
                reader.join()
                break
            words.append(line)
            look(line)
        code = process.wait()
    except BaseException:
        end_group(process)
        process.wait()
        raise
    finally:
        interrupt.begin(None)
        if not reader.is_alive():
            process.stdout.close()
    interrupt.check()
    output = "\n".join(words)[-MOST_WORDS:]
    if code == 0:
        return output
    if code == -signal.SIGXFSZ:
        raise Failed("A file of a package is larger than this session may write (no space left on device).")
    raise Failed(output or f"The installer ended with {code}.")


def read(process: subprocess.Popen[str], coming: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        coming.put(line.rstrip()[:LONGEST_LINE])
    coming.put(None)


def find_uv(given: str | None, wait: Callable[[], None]) -> str | None:
    """Where the server has put it, which may still be fetching it; else whatever is on the PATH."""
    if given:
        until = time.monotonic() + UV_PATIENCE
        while not os.access(given, os.X_OK) and os.path.exists(given + ".coming") and time.monotonic() < until:
            wait()
            time.sleep(LOOK_EVERY)
            interrupt.check()
        if os.access(given, os.X_OK):
            return given
    import shutil

    return shutil.which("uv")


def environment_for(cache: str) -> dict[str, str]:
    """uv does not read pip's settings: where an operator has set an index for pip, make uv use the same."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    given = pip_settings()
    for option, name in OPTIONS.items():
        value = os.environ.get("PIP_" + option.upper().replace("-", "_")) or given.get(option)
        if value and name not in env and "UV_INDEX_URL" not in env:
            env[name] = " ".join(value.split())
    certificates = os.environ.get("PIP_CERT") or given.get("cert")
    if certificates:
        env.setdefault("SSL_CERT_FILE", certificates)
    env |= {"UV_CACHE_DIR": cache, "UV_LINK_MODE": "hardlink", "UV_NO_PROGRESS": "1", "UV_PYTHON_DOWNLOADS": "never"}
    env.setdefault("UV_SYSTEM_CERTS", "true")
    return env


def index_options() -> list[str]:
    """An operator who lets pip ask no index lets uv ask none."""
    value = os.environ.get("PIP_NO_INDEX") or pip_settings().get("no-index") or "0"
    return ["--no-index"] if value.lower() in ("1", "true", "yes", "on") else []


def pip_settings() -> dict[str, str]:
    import configparser

    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read(
            ["/etc/pip.conf", os.path.expanduser("~/.config/pip/pip.conf"), os.environ.get("PIP_CONFIG_FILE", "")]
        )
    except (configparser.Error, UnicodeDecodeError):
        return {}
    found: dict[str, str] = {}
    for section in ("global", "install"):
        if parser.has_section(section):
            found.update(parser.items(section))
    return found
