"""`run --remote`, `logs`, `runs` and `models`: what happens on the server."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from .failures import FAILED, REFUSED, Failure
from .printer import Printer, complain, table
from .server import Server, part

LOOK_EVERY = 1.0
LOG_PAGE = 1_000
RUNS_LISTED = 100
WARNING, ERROR = 2, 3
ALIVE = ("UNINITIALIZED", "QUEUED", "STARTING", "READY", "RUNNING", "RESUMEREADY", "KILLING", "RESTARTING")
#: How long a processor may take to start: it may wait in a queue, or fetch an image.
LONGEST_START = 1_800.0


class Log:
    """The log of a workflow's processor, as far as it was printed."""

    def __init__(self, server: Server, workflow: str, printer: Printer, names: dict[int, str]) -> None:
        self.server = server
        self.path = f"/api/v3/graphs/{part(workflow)}/processor/logs"
        self.printer = printer
        self.names = names
        self.last: int | None = None

    def skip(self) -> None:
        """Only what comes from now on is printed."""
        entries = self.server.get(self.path, log_lines=1)
        self.last = last_line(entries) if entries else self.last

    def print_new(self, lines: int = LOG_PAGE) -> None:
        """What has come since the last time. The first time, the last `lines`."""
        query = {"log_lines": lines} if self.last is None else {"after": self.last}
        entries = self.server.get(self.path, **query)
        for entry in entries:
            self.print_entry(entry)
        if entries:
            self.last = last_line(entries)

    def print_entry(self, entry: dict[str, Any]) -> None:
        name = self.names.get(entry.get("wob_key", 0), "")
        for at, line in enumerate(str(entry["message"]).split("\n")):
            value = {"event": "log", "line": entry["id"] + at, "node": name, "level": entry["tag"], "text": line}
            if self.printer.is_json:
                self.printer.result(value)
            elif entry["tag"] in (WARNING, ERROR):
                complain(f"{name + ': ' if name else ''}{line}")
            else:
                self.printer.write(f"{name + ': ' if name else ''}{line}")


def last_line(entries: list[dict[str, Any]]) -> int:
    return max(entry["id"] + str(entry["message"]).count("\n") for entry in entries)


def node_names(server: Server, workflow: str) -> dict[int, str]:
    nodes = server.get(f"/api/v3/graphs/{part(workflow)}/graph")["nodes"]
    return {int(node["metadata_id"]): str(node["name"]) for node in nodes.values()}


def processor_of(server: Server, workflow: str) -> dict[str, Any] | None:
    return server.get(f"/api/v3/graphs/{part(workflow)}/processor")


# Run


def run_remote(server: Server, workflow: str, is_kept: bool, printer: Printer) -> int:
    """Runs the whole workflow. A processor that was started for this is stopped afterwards."""
    names = node_names(server, workflow)
    job = processor_of(server, workflow)
    is_own = job is None or job["workflow_state"] not in ALIVE
    if is_own:
        tag = int(time.time() * 1_000)
        server.post(f"/api/v3/graphs/{part(workflow)}/processor", {"tag": tag})
        printer.say("Starting a processor …")
    try:
        job = wait_for(server, workflow, ("READY",))
        log = Log(server, workflow, printer, names)
        log.skip()
        if log.last is None:
            log.last = 0
        args = base64.b64encode(json.dumps({"mode": "all"}).encode()).decode()
        server.post(f"/api/v3/graphs/{part(workflow)}/processor/run", {"args": args})
        return follow_run(server, workflow, job["id"], log, names)
    except KeyboardInterrupt:
        goes_on = not is_own or is_kept
        complain("The run goes on on the server. To see its log: miranda logs -f" if goes_on else "Stopped.")
        return FAILED
    finally:
        if is_own and not is_kept:
            stop(server, workflow)


def wait_for(server: Server, workflow: str, states: tuple[str, ...]) -> dict[str, Any]:
    until = time.monotonic() + LONGEST_START
    while time.monotonic() < until:
        job = processor_of(server, workflow)
        if job is not None and job["workflow_state"] in states:
            return job
        if job is not None and job["workflow_state"] not in ALIVE:
            raise Failure(f"The processor has ended: {job['workflow_state']}. {job['description']}".strip())
        if job is not None and job["workflow_state"] in ("RUNNING", "RESUMEREADY"):
            raise Failure("The workflow is running already. To see its log: miranda logs -f", FAILED)
        time.sleep(LOOK_EVERY)
    raise Failure("The processor did not start in time.")


def follow_run(server: Server, workflow: str, job_id: str, log: Log, names: dict[int, str]) -> int:
    while True:
        job = processor_of(server, workflow)
        log.print_new()
        state = job["workflow_state"] if job is not None and job["id"] == job_id else "EXITED"
        if state == "RESUMEREADY":
            complain("The run stands at a breakpoint. It goes on when somebody continues it.")
        if state not in ("RUNNING", "RESUMEREADY"):
            break
        time.sleep(LOOK_EVERY)
    log.print_new()
    nodes = server.get(f"/api/v3/jobs/{part(job_id)}/nodes")
    newest = max((one["run"] for one in nodes), default=0)
    statuses = {names.get(one["wob_key"], str(one["wob_key"])): one["status"] for one in nodes if one["run"] == newest}
    failed = sorted(name for name, status in statuses.items() if status in ("error", "stopped"))
    good = state == "READY" and not failed and bool(statuses)
    log.printer.result({"event": "end", "good": good, "failed": failed, "session": job_id, "nodes": statuses})
    if good:
        log.printer.say(f"Done: {len(statuses)} nodes ran.")
    elif failed:
        complain(f"Failed: {', '.join(failed)}")
    elif state != "READY":
        complain(f"The processor has ended: {state}.")
    else:
        complain("No node ran. The log says why.")
    return 0 if good else FAILED


def stop(server: Server, workflow: str) -> None:
    try:
        server.post(f"/api/v3/graphs/{part(workflow)}/processor/stop", {})
    except Failure as failure:
        if failure.reason not in ("no_processor", "job_ended"):
            complain(f"The processor could not be stopped: {failure}")


# Logs


def print_log(server: Server, workflow: str, is_following: bool, lines: int, printer: Printer) -> int:
    if processor_of(server, workflow) is None:
        raise Failure("This workflow has no session yet.", REFUSED)
    log = Log(server, workflow, printer, node_names(server, workflow))
    log.print_new(lines)
    try:
        while is_following:
            job = processor_of(server, workflow)
            log.print_new()
            if job is None or job["workflow_state"] not in ALIVE:
                break
            time.sleep(LOOK_EVERY)
    except KeyboardInterrupt:
        pass
    return 0


# Lists


def list_runs(server: Server, workflow: str | None, printer: Printer) -> int:
    """The newest ones, also of sessions that have ended."""
    runs = server.get("/api/v3/runs", graph_id=workflow, limit=RUNS_LISTED)["runs"]
    wanted = ("id", "graph", "session", "number", "mode", "state", "reason", "cost", "time_began", "time_ended")
    rows = [["RUN", "WORKFLOW", "STATE", "BEGAN", "BY"]]
    for run in runs:
        by = run["by"]["username"] if run["by"] else ""
        rows.append([run["id"], run["graph"]["name"], run["state"], str(run["time_began"])[:19], by])
    printer.result([{name: run[name] for name in wanted} for run in runs], table(rows) if runs else "No runs.")
    return 0


def list_models(server: Server, printer: Printer) -> int:
    models: list[dict[str, Any]] = []
    after: str | None = None
    while True:
        page = server.get("/api/v3/models", after=after)
        models.extend(page["json"])
        after = page["next"]
        if after is None:
            break
    metrics = ("loss", "accuracy", "precision", "recall")
    rows = [["MODEL", "WORKFLOW", *(name.upper() for name in metrics), "UPDATED"]]
    for model in models:
        numbers = ["" if model[name] is None else f"{model[name]:.4g}" for name in metrics]
        rows.append([model["name"], model["graph"]["name"], *numbers, str(model["last_updated"])[:19]])
    printer.result(models, table(rows) if models else "No models.")
    return 0
