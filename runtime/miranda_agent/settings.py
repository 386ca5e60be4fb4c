"""The settings that the engine gives an agent at its start."""

from __future__ import annotations

import os


def read_settings(source: str | int) -> dict[str, str]:
    """`name=value` lines in a file or a pipe. They hold the job's token, so a file goes as soon as it is read."""
    with open(source, encoding="utf-8") as file:
        settings = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
    if isinstance(source, str):
        os.unlink(source)
    if "token_file" in settings:
        with open(settings["token_file"], encoding="utf-8") as file:
            settings["token"] = file.read().strip()
    return settings
