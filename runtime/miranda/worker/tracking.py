"""
What node code's MLflow client needs: where the project's tracking server is, a token, and the experiment. The client
connects to the loopback of this network; the agent, which is outside, accepts and passes its calls on.
"""

from __future__ import annotations

import os
import sys
from typing import Any

#: `miranda_agent/worker_process.py` has the same.
CONTROL = 8
MOST_WAITING = 64
FLUENT, ADDRESS = "mlflow.tracking.fluent", "mlflow.tracking._tracking_service.utils"
#: What a node of the run before may have set, or MLflow itself.
OF_ONE_RUN = ("MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID")


class Tracking:
    def __init__(self) -> None:
        #: Empty where there is no agent: on a laptop, or in tests.
        self.project = os.environ.pop("MIRANDA_PROJECT", "")
        self.uri = ""
        self.proxies: dict[str, str] = {}

    def begin_run(self, experiment: str) -> dict[str, str]:
        """The environment variables of this run."""
        if not self.project:
            return {}
        if not self.uri:
            self.open()
        found = {"MLFLOW_TRACKING_URI": self.uri, "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true", **self.proxies}
        if experiment:
            found["MLFLOW_EXPERIMENT_NAME"] = experiment
        return found

    def open(self) -> None:
        import socket

        with socket.create_server(("127.0.0.1", 0), backlog=MOST_WAITING) as listener:
            port = listener.getsockname()[1]
            # Ours is closed below: node code has no use for it.
            with socket.socket(fileno=CONTROL) as control:
                socket.send_fds(control, [b"\0"], [listener.fileno()])
        self.uri = f"http://127.0.0.1:{port}/mlflow/{self.project}"
        self.proxies = without_proxy("127.0.0.1")


def without_proxy(host: str) -> dict[str, str]:
    if not any(name.lower() in ("http_proxy", "all_proxy") for name in os.environ):
        return {}
    found: dict[str, str] = {}
    for name in ("no_proxy", "NO_PROXY"):
        known = os.environ.get(name) or os.environ.get(name.swapcase()) or ""
        found[name] = f"{known},{host}".strip(",")
    return found


def begin_in_lane(environment: dict[str, str]) -> None:
    """In the process of node code: what a run before may have left is forgotten."""
    if "MLFLOW_TRACKING_URI" not in environment:
        return
    for name in OF_ONE_RUN:
        os.environ.pop(name, None)
    os.environ.update(environment)
    forget_active_runs()


def forget_active_runs() -> None:
    """MLflow's client would go on logging to the run that was active when the last run of this session ended."""
    fluent: Any = sys.modules.get(FLUENT)
    address: Any = sys.modules.get(ADDRESS)
    if fluent is None or address is None:
        return
    try:
        address._tracking_uri = None
        fluent._active_run_stack.reset()
        fluent._active_experiment_id = None
    except AttributeError:
        # Another version of MLflow: its own runs go on.
        pass
