"""Why a command ends badly, and the exit code that a script sees."""

from __future__ import annotations

#: The run failed, or there are conflicts.
FAILED = 1
#: The command line or the folder is wrong.
USAGE = 2
#: The server cannot be reached, or refuses.
REFUSED = 3


class Failure(Exception):
    """Its words are for people."""

    def __init__(self, words: str, code: int = FAILED, reason: str = "") -> None:
        super().__init__(words)
        self.code = code
        #: The server's code of a refusal, for programs.
        self.reason = reason
