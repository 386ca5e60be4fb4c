"""
Runs the example of every node that needs packages, and prints one line of JSON for each: its key, and what is wrong.

    python check_nodes.py        all of them
    python check_nodes.py KEY …  some of them
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
os.environ.setdefault("OMP_NUM_THREADS", "1")

from bench import run_node  # noqa: E402
from cases import CASES, STORAGE  # noqa: E402

import model_cases  # noqa: E402, F401
import source_cases  # noqa: E402, F401
import table_cases  # noqa: E402, F401


def problem_of(key: str) -> str:
    inputs, values, check = CASES[key]
    try:
        return "" if check(run_node(key, inputs(), values, STORAGE)) else "It did not do what it should."
    except Exception as error:
        return f"{type(error).__name__}: {error}"


for key in sys.argv[1:] or CASES:
    began = time.monotonic()
    problem = problem_of(key)
    print(json.dumps({"key": key, "problem": problem, "seconds": round(time.monotonic() - began, 2)}), flush=True)
os.chdir("/")
folder.cleanup()
