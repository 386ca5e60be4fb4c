"""
The packages of one session. Before a run, everything its nodes require is installed, or the run fails with a reason.
"""

from __future__ import annotations

from time import monotonic

from .imports import Imports
from .wanted import Unusable, Wanted, collect, declares, needed, pinned, without_addresses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..execution.graph import NodeState
    from ..worker.session import Session
    from .activation import Active

#: Progress is sent no more often.
REPORT_EVERY = 0.2
LONGEST_WHAT = 200
MOST_PACKAGES = 1_000
LONGEST_NAME = 200
LONGEST_VERSION = 100

# What installs is imported when there is something to install: most sessions start without it.


class SessionPackages:
    def __init__(self, session: Session) -> None:
        self.session = session
        self.active: Active | None = None
        self.requirements: set[str] = set()
        #: The packages of the run that the last one repeated.
        self.pins: list[str] = []
        self.imports = Imports()
        #: What nodes imported without asking for it, and could not be installed: this session tries it once.
        self.not_to_be_had: set[str] = set()
        #: Why the last installation failed, in one line.
        self.problem: str | None = None
        self.reported_at = 0.0
        self.is_reporting = False

    @property
    def versions(self) -> dict[str, str]:
        """The packages that the nodes of a run import, for the report of the run."""
        found = self.active.versions if self.active is not None else {}
        return {
            name: version
            for name, version in list(found.items())[:MOST_PACKAGES]
            if len(name) <= LONGEST_NAME and len(version) <= LONGEST_VERSION
        }

    def ensure(self, command: dict[str, Any]) -> dict[str, Any] | None:
        """Before a run: None when its nodes can start, else how the run ended."""
        executor = self.session.executor
        if command.get("resume") or command.get("mode") == "warm":
            # The packages of all nodes are a part of the keys of their results, whichever run. Calls will run all.
            return self.provide([state for state in executor.graph.nodes.values() if not state.disabled], command)
        added = self.added
        states = executor.graph.nodes.values()
        if not any(declares(state) or self.imports.missing(state, added) for state in states):
            return None
        try:
            executor.plan(command.get("mode", "changed"), command.get("target"))
        except ValueError:
            # The run itself reports what is wrong with the command.
            return None
        return self.provide(needed(executor.graph), command)

    def provide(self, states: list[NodeState], command: dict[str, Any]) -> dict[str, Any] | None:
        try:
            wanted = collect(states, str(command.get("pythons") or "").split())
        except Unusable as refusal:
            return self.failed([(refusal.state.id, refusal.line)], f"PackageError: {refusal}\n")
        environments = command.get("environments")
        implied = self.implied(states, wanted) if environments else []
        if {one.requirement for one in implied} != self.not_to_be_had:
            wanted = [*wanted, *implied]
        requirements = sorted({one.requirement for one in wanted})
        pins = pinned(command.get("packages") or {}) if requirements else []
        is_same = self.active is not None and self.pins == pins and self.requirements.issuperset(requirements)
        if not requirements or is_same:
            return None
        if not environments:
            words = "PackageError: This processor has no place for packages.\n"
            return self.failed([(one.node, one.line) for one in wanted[:1]], words)
        return self.install(wanted, requirements, environments, command.get("uv"), pins)

    def use_installed(self, command: dict[str, Any]) -> None:
        """Before a plan that uses kept results: the packages of all nodes, if they are installed. Installs nothing."""
        states = [state for state in self.session.executor.graph.nodes.values() if not state.disabled]
        environments = command.get("environments")
        try:
            wanted = collect(states)
        except Unusable:
            return
        requirements = sorted({one.requirement for one in [*wanted, *self.implied(states, wanted)]})
        if not environments or not requirements or self.requirements.issuperset(requirements):
            return
        from .activation import Active
        from .environments import Environments

        made = Environments(environments, None, self.report, lambda words: None).find(requirements)
        if made is not None:
            active = self.active or Active()
            self.activate(active, made)
            self.active, self.requirements = active, set(requirements)

    def activate(self, active: Active, folder: str) -> str | None:
        """In every lane; words about packages that one has loaded in another version, if there are any."""
        active.use(folder)
        self.session.executor.graph.packages = active.versions
        return self.session.executor.activate(folder)

    @property
    def added(self) -> list[str]:
        return self.active.added if self.active is not None else []

    def implied(self, states: list[NodeState], declared: list[Wanted]) -> list[Wanted]:
        """What the nodes import without asking for it. What one of them asks for is not implied once more."""
        names = {one.name for one in declared}
        found: list[Wanted] = []
        for state in states:
            if state.disabled:
                continue
            for package, line in self.imports.missing(state, self.added).items():
                one = Wanted(state, package, line)
                if one.name not in names:
                    names.add(one.name)
                    found.append(one)
        return found

    def install(
        self,
        wanted: list[Wanted],
        requirements: list[str],
        folder: str,
        uv: str | None,
        pins: list[str] | None = None,
    ) -> dict[str, Any] | None:
        """`pins`: the packages of the run that this one repeats. If they are not to be had, others are installed."""
        from .activation import Active
        from .environments import Environments, versions_in
        from .installer import Failed, Interrupted, interrupt
        from .words import explain

        record = self.session.streams.record
        environments = Environments(folder, uv, self.report, lambda words: record(1, words))
        exactly = sorted({*requirements, *without_addresses(pins or [], wanted)})
        made = environments.find(exactly)
        active = self.active or Active()
        try:
            if made is None:
                began = monotonic()
                words = ", ".join(requirements)
                record(1, f"Installing {words} as in the run that is repeated" if pins else f"Installing {words}")
                with interrupt:
                    made = environments.make(exactly)
                found = versions_in(made)
                new = ", ".join(
                    f"{name} {version}" for name, version in found.items() if active.versions.get(name) != version
                )
                record(1, f"Installed {new or 'nothing new'} in {monotonic() - began:.1f} s.")
            words = self.activate(active, made)
        except Interrupted:
            self.problem = "The installation was interrupted."
            record(2, self.problem)
            return {"error": None, "good": False, "interrupted": True, "failed": []}
        except (Failed, OSError) as error:
            problem = explain(str(error), wanted)
            if pins:
                words = "The packages of the run that is repeated cannot be installed. Those of now are used."
                record(2, f"{problem.text.strip()}\n{words}")
                return self.install(wanted, requirements, folder, uv)
            declared = [one for one in wanted if not one.is_implied]
            if len(declared) < len(wanted):
                # No node asked for it explicitly: if it is missing, the import raises its own error.
                record(2, problem.text.strip())
                self.not_to_be_had = {one.requirement for one in wanted if one.is_implied}
                left = sorted({one.requirement for one in declared})
                return self.install(declared, left, folder, uv) if left else None
            places = {one.node: one.line for one in reversed(problem.blamed)}
            return self.failed(list(places.items()), problem.text)
        finally:
            self.tell_end()
        self.active, self.requirements, self.pins = active, set(requirements), pins or []
        if words:
            record(2, words)
        return None

    def failed(self, places: list[tuple[int, int]], text: str) -> dict[str, Any]:
        session = self.session
        self.problem = " ".join(text.replace("PackageError: ", "").split("\n")).strip()
        for node, line in places:
            session.statuses[node] = "error"
            session.executor.graph.nodes[node].failed = True
            session.exception(node, line, "<module>", text)
        return {"error": None, "good": False, "failed": [node for node, _ in places]}

    # Progress

    def report(self, total: int, done: int, what: str) -> None:
        now = monotonic()
        if now - self.reported_at < REPORT_EVERY and self.is_reporting:
            return
        self.reported_at, self.is_reporting = now, True
        self.session.streams.flush()
        self.session.channel.event({"kind": "installing", "total": total, "done": done, "what": what[:LONGEST_WHAT]})

    def tell_end(self) -> None:
        if self.is_reporting:
            self.is_reporting = False
            self.session.channel.event({"kind": "installing", "total": 0, "done": 0, "what": ""})


def interrupt_install() -> bool:
    """Ends the installation that is under way; false when there is none. Costs nothing before the first."""
    import sys

    installer = sys.modules.get(f"{__package__}.installer")
    return installer is not None and bool(installer.interrupt_install())
